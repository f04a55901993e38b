//! The tools that the command line selects.

use pml::text::{fold, nearest};
use pml::{ToolName, catalog::ToolIndex, policy::ToolPattern, tool::Definition};
use std::sync::Arc;

/// A selection of tools.
#[derive(Debug, PartialEq)]
pub(super) enum ToolSelection {
    /// All tools.
    All,
    /// All tools of one server.
    Server(String),
    /// The tools that a pattern covers.
    Pattern(ToolPattern),
    /// The tools that match some words, best match first.
    Words(String),
}

impl ToolSelection {
    /// Parses the typed arguments: a server's name, a pattern, or else words.
    pub(super) fn new(typed: &[String], servers: &[&str]) -> ToolSelection {
        match typed {
            [] => ToolSelection::All,
            [one] if servers.contains(&one.as_str()) => ToolSelection::Server(one.clone()),
            [one] => match one.parse::<ToolPattern>() {
                Ok(pattern) => ToolSelection::Pattern(pattern),
                Err(_) => ToolSelection::Words(one.clone()),
            },
            words => ToolSelection::Words(words.join(" ")),
        }
    }

    /// Reports whether a server may have selected tools.
    pub(super) fn may_include_server(&self, server: &str) -> bool {
        match self {
            ToolSelection::All | ToolSelection::Words(_) => true,
            ToolSelection::Server(name) => name == server,
            ToolSelection::Pattern(pattern) => {
                match String::from(pattern.clone()).split_once(':') {
                    Some((name, _)) => name == server,
                    None => true,
                }
            }
        }
    }

    /// Returns an index of the selected tools, to be searched with [`query`](ToolSelection::query).
    pub(super) fn index(&self, definitions: &[Arc<Definition>]) -> ToolIndex {
        let selected = definitions.iter().filter(|definition| match self {
            ToolSelection::Pattern(pattern) => pattern.covers(&definition.tool),
            ToolSelection::Server(name) => definition.tool.server() == name,
            ToolSelection::All | ToolSelection::Words(_) => true,
        });
        ToolIndex::new(selected.cloned())
    }

    /// Reports whether the typed words are the name of this tool, in any spelling: `read_file`,
    /// `readFile`.
    pub(super) fn names(&self, tool: &ToolName) -> bool {
        let ToolSelection::Words(words) = self else { return false };
        fold(words) == fold(tool.tool())
    }

    /// Returns tools whose names are near to the one that was typed, as text, or `None`.
    pub(super) fn near_names(&self, definitions: &[Arc<Definition>]) -> Option<String> {
        let typed = match self {
            ToolSelection::Pattern(pattern) => String::from(pattern.clone()),
            ToolSelection::Words(words) => words.clone(),
            ToolSelection::All | ToolSelection::Server(_) => return None,
        };
        let whole = definitions.iter().map(|known| known.tool.as_str());
        let near = match typed.contains(':') {
            true => nearest(&typed, whole),
            false => nearest(&typed, definitions.iter().map(|known| known.tool.tool())),
        };
        (!near.is_empty()).then(|| near.join("` or `"))
    }

    /// Returns the words to search for, or an empty text for all tools.
    pub(super) fn query(&self) -> &str {
        match self {
            ToolSelection::Words(words) => words,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolSelection;
    use pml::tool::Definition;
    use std::sync::Arc;

    fn selection(typed: &[&str]) -> ToolSelection {
        let typed: Vec<String> = typed.iter().map(|word| (*word).to_owned()).collect();
        ToolSelection::new(&typed, &["github", "fs"])
    }

    #[test]
    fn a_server_a_pattern_and_words_are_told_apart() {
        assert_eq!(selection(&[]), ToolSelection::All);
        assert_eq!(selection(&["fs"]), ToolSelection::Server("fs".into()));
        assert_eq!(selection(&["fs:read_*"]), ToolSelection::Pattern("fs:read_*".parse().unwrap()));
        assert_eq!(selection(&["*"]), ToolSelection::Pattern("*".parse().unwrap()));
        assert_eq!(selection(&["read"]), ToolSelection::Words("read".into()));
        assert_eq!(selection(&["fs", "read"]), ToolSelection::Words("fs read".into()));
    }

    #[test]
    fn a_tool_is_named_by_its_whole_name_in_any_spelling() {
        let names = |typed: &[&str], tool: &str| selection(typed).names(&tool.parse().unwrap());
        assert!(names(&["read_file"], "fs:read_file") && names(&["readFile"], "fs:read-file"));
        assert!(!names(&["read"], "fs:read_file") && !names(&["fs"], "fs:fs"));
        assert!(!names(&[], "fs:read_file"));
    }

    #[test]
    fn a_name_that_is_not_quite_right_leads_to_the_right_one() {
        let tool =
            |name: &str| Arc::new(Definition::new(name.parse().unwrap(), "", pml::json::json!({})));
        let known = [tool("shop:orders"), tool("shop:refund")];
        let near = |typed: &str| selection(&[typed]).near_names(&known);
        assert_eq!(near("shop:order").as_deref(), Some("shop:orders"));
        assert_eq!(near("ordrs").as_deref(), Some("orders"));
        assert_eq!(near("shop:zzzzzzzz"), None);
        assert_eq!(selection(&[]).near_names(&known), None);
    }

    #[test]
    fn only_servers_that_may_have_the_tool_are_asked() {
        let asked = |typed: &[&str]| {
            ["github", "fs"].map(|server| selection(typed).may_include_server(server))
        };
        assert_eq!(asked(&["fs:read_*"]), [false, true]);
        assert_eq!(asked(&["fs"]), [false, true]);
        assert_eq!(asked(&["*"]), [true, true]);
        assert_eq!(asked(&["read", "file"]), [true, true]);
    }
}
