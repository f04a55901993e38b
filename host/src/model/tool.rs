//! Names of tools, and patterns over them.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Arc};

/// Longest server or tool name. MCP advises 128 for tools; servers get the same.
const NAME_LIMIT: usize = 128;

/// The name of a tool, `server:tool`. Both parts are non-empty and printable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName {
    text: Arc<str>,
    colon: usize,
}

impl ToolName {
    /// Returns the server's name.
    pub fn server(&self) -> &str {
        &self.text[..self.colon]
    }

    /// Returns the tool's name on its server.
    pub fn tool(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// Returns `server:tool`.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for ToolName {
    type Err = InvalidTool;

    fn from_str(text: &str) -> Result<ToolName, InvalidTool> {
        let invalid = || InvalidTool(super::escape(&clip_name(text)).into_owned());
        let (server, tool) = text.split_once(':').ok_or_else(invalid)?;
        if [server, tool].iter().any(|part| !is_name(part)) {
            return Err(invalid());
        }
        Ok(ToolName { text: text.into(), colon: server.len() })
    }
}

/// Reports whether a text is a valid name: 1 to 128 bytes of visible characters.
fn is_name(name: &str) -> bool {
    let visible = |c: char| {
        !c.is_whitespace() && super::escape(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8()
    };
    !name.is_empty() && name.len() <= NAME_LIMIT && name.chars().all(visible)
}

fn clip_name(text: &str) -> String {
    text.chars().take(NAME_LIMIT).collect()
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for ToolName {
    type Error = InvalidTool;

    fn try_from(text: String) -> Result<ToolName, InvalidTool> {
        text.parse()
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> String {
        name.text.as_ref().into()
    }
}

/// The error for a text that is not the name of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tool name: it must be `server:tool`")]
pub struct InvalidTool(String);

/// A pattern over tool names: `server:tool`, `server:prefix_*`, `server:*` or `*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolPattern(String);

impl ToolPattern {
    /// Reports whether the pattern covers `tool`.
    pub fn covers(&self, tool: &ToolName) -> bool {
        match self.0.strip_suffix('*') {
            Some(prefix) => tool.as_str().starts_with(prefix),
            None => self.0 == tool.as_str(),
        }
    }
}

impl ToolPattern {
    /// Returns the pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether it may cover a tool of the server with this name.
    pub(crate) fn may_cover_server(&self, server: &str) -> bool {
        self.0 == "*" || self.0.split_once(':').is_some_and(|(name, _)| name == server)
    }

    /// Reports whether it covers every tool of the server with this name.
    pub(crate) fn covers_all_of(&self, server: &str) -> bool {
        self.may_cover_server(server) && (self.0 == "*" || self.0.ends_with(":*"))
    }

    /// Returns how much of a name the pattern specifies: a whole name counts more than any prefix.
    pub(crate) fn specificity(&self) -> usize {
        self.0.strip_suffix('*').map_or(usize::MAX, str::len)
    }
}

impl FromStr for ToolPattern {
    type Err = InvalidTool;

    fn from_str(text: &str) -> Result<ToolPattern, InvalidTool> {
        let valid = match text.strip_suffix('*') {
            Some("") => true,
            // A star may follow `server:` or a prefix of the tool's name; never a part of the
            // server's name.
            Some(prefix) => {
                !prefix.contains('*') && format!("{prefix}x").parse::<ToolName>().is_ok()
            }
            None => !text.contains('*') && text.parse::<ToolName>().is_ok(),
        };
        match valid {
            true => Ok(ToolPattern(text.into())),
            false => Err(InvalidTool(super::escape(&clip_name(text)).into_owned())),
        }
    }
}

impl TryFrom<String> for ToolPattern {
    type Error = InvalidTool;

    fn try_from(text: String) -> Result<ToolPattern, InvalidTool> {
        text.parse()
    }
}

impl From<ToolPattern> for String {
    fn from(pattern: ToolPattern) -> String {
        pattern.0
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolName, ToolPattern};

    fn tool(text: &str) -> ToolName {
        text.parse().expect("a tool name")
    }

    #[test]
    fn a_tool_has_a_server_and_a_name() {
        let name = tool("my-server:get:env");
        assert_eq!((name.server(), name.tool()), ("my-server", "get:env"));
    }

    #[test]
    fn what_names_no_tool_is_refused() {
        for text in [
            "",
            "github",
            ":x",
            "x:",
            "a b:c",
            "a:\u{202e}b",
            "a:b\n",
            &format!("a:{}", "x".repeat(129)),
        ] {
            assert!(text.parse::<ToolName>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn patterns_cover_what_they_say_and_nothing_else() {
        let covers = |pattern: &str, name: &str| {
            pattern.parse::<ToolPattern>().expect("a pattern").covers(&tool(name))
        };
        assert!(covers("*", "a:b"));
        assert!(covers("github:*", "github:search"));
        assert!(!covers("github:*", "github2:search"));
        assert!(covers("github:get_*", "github:get_issue"));
        assert!(!covers("github:get_*", "github:set_issue"));
        assert!(covers("github:search", "github:search"));
        assert!(!covers("github:search", "github:search_code"));
    }

    #[test]
    fn a_pattern_says_what_of_a_server_it_is_about() {
        let pattern = |text: &str| text.parse::<ToolPattern>().expect("a pattern");
        for (text, touches, covers) in [
            ("*", true, true),
            ("git:*", true, true),
            ("git:log_*", true, false),
            ("git:log", true, false),
            ("github:*", false, false),
        ] {
            let found = (pattern(text).may_cover_server("git"), pattern(text).covers_all_of("git"));
            assert_eq!(found, (touches, covers), "{text}");
        }
    }

    #[test]
    fn a_star_anywhere_else_is_refused() {
        for text in ["", "git*", "git*:x", "*:x", "a:*b", "a:**", "a"] {
            assert!(text.parse::<ToolPattern>().is_err(), "{text:?}");
        }
    }
}
