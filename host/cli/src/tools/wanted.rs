//! Which tools are asked for.

use pml::{Definition, Index, ToolPattern};
use std::sync::Arc;

/// What somebody asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Wanted {
    /// Everything.
    All,
    /// All tools of a server.
    Server(String),
    /// What a pattern covers.
    Pattern(ToolPattern),
    /// What fits some words, the best first.
    Words(String),
}

impl Wanted {
    /// Reads what was typed: a server's name, a pattern, or else words.
    pub(super) fn new(typed: &[String], servers: &[&str]) -> Wanted {
        match typed {
            [] => Wanted::All,
            [one] if servers.contains(&one.as_str()) => Wanted::Server(one.clone()),
            [one] => match one.parse::<ToolPattern>() {
                Ok(pattern) => Wanted::Pattern(pattern),
                Err(_) => Wanted::Words(one.clone()),
            },
            words => Wanted::Words(words.join(" ")),
        }
    }

    /// Returns whether a server may have such tools.
    pub(super) fn may_be_of(&self, server: &str) -> bool {
        match self {
            Wanted::All | Wanted::Words(_) => true,
            Wanted::Server(name) => name == server,
            Wanted::Pattern(pattern) => match String::from(pattern.clone()).split_once(':') {
                Some((name, _)) => name == server,
                None => true,
            },
        }
    }

    /// Returns the tools that are meant, ready to be searched with [`query`](Wanted::query).
    pub(super) fn among(&self, definitions: &[Arc<Definition>]) -> Index {
        let meant = definitions.iter().filter(|definition| match self {
            Wanted::Pattern(pattern) => pattern.covers(&definition.tool),
            Wanted::Server(name) => definition.tool.server() == name,
            Wanted::All | Wanted::Words(_) => true,
        });
        Index::new(meant.cloned())
    }

    /// Returns the words to search by; none for all.
    pub(super) fn query(&self) -> &str {
        match self {
            Wanted::Words(words) => words,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    fn wanted(typed: &[&str]) -> Wanted {
        let typed: Vec<String> = typed.iter().map(|word| (*word).to_owned()).collect();
        Wanted::new(&typed, &["github", "fs"])
    }

    #[test]
    fn a_server_a_pattern_and_words_are_told_apart() {
        assert_eq!(wanted(&[]), Wanted::All);
        assert_eq!(wanted(&["fs"]), Wanted::Server("fs".into()));
        assert_eq!(wanted(&["fs:read_*"]), Wanted::Pattern("fs:read_*".parse().unwrap()));
        assert_eq!(wanted(&["*"]), Wanted::Pattern("*".parse().unwrap()));
        assert_eq!(wanted(&["read"]), Wanted::Words("read".into()));
        assert_eq!(wanted(&["fs", "read"]), Wanted::Words("fs read".into()));
    }

    #[test]
    fn only_servers_that_may_have_the_tool_are_asked() {
        let asked = |typed: &[&str]| ["github", "fs"].map(|server| wanted(typed).may_be_of(server));
        assert_eq!(asked(&["fs:read_*"]), [false, true]);
        assert_eq!(asked(&["fs"]), [false, true]);
        assert_eq!(asked(&["*"]), [true, true]);
        assert_eq!(asked(&["read", "file"]), [true, true]);
    }
}
