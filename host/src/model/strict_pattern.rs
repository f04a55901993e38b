//! Patterns that cover every spelling of a name: a tool that is denied, or has to be asked about,
//! must not be reachable under another spelling.
//!
//! `my_server:deleteFile` covers `my-server:delete_file`. Only patterns that restrict are read in
//! this way; patterns that allow are read to the letter.

use super::{ToolName, ToolPattern, fold, words};

/// A pattern that restricts.
#[derive(Debug)]
pub(crate) struct StrictPattern {
    pattern: ToolPattern,
    server: String,
    rest: ToolPartPattern,
}

#[derive(Debug)]
enum ToolPartPattern {
    /// All tools of all servers.
    All,
    /// The tool with this name, folded.
    Name(String),
    /// The tools whose names begin with this prefix, in snake case.
    Prefix(String),
}

/// A tool's name, prepared for comparison.
pub(crate) struct FoldedToolName<'a> {
    tool: &'a ToolName,
    server: String,
    name: String,
    snake: String,
}

impl<'a> FoldedToolName<'a> {
    pub(crate) fn new(tool: &'a ToolName) -> FoldedToolName<'a> {
        let (server, name) = (fold(tool.server()), fold(tool.tool()));
        FoldedToolName { tool, server, name, snake: snake(tool.tool()) }
    }
}

impl StrictPattern {
    pub(crate) fn new(pattern: ToolPattern) -> StrictPattern {
        let text = String::from(pattern.clone());
        let (server, rest) = match text.split_once(':') {
            None => (String::new(), ToolPartPattern::All),
            Some((server, name)) => match name.strip_suffix('*') {
                Some(prefix) => (fold(server), ToolPartPattern::Prefix(snake(prefix))),
                None => (fold(server), ToolPartPattern::Name(fold(name))),
            },
        };
        StrictPattern { pattern, server, rest }
    }

    /// Reports whether it covers a tool, in any spelling.
    pub(crate) fn covers(&self, spelled: &FoldedToolName<'_>) -> bool {
        let of_server = self.server == spelled.server;
        self.pattern.covers(spelled.tool)
            || match &self.rest {
                ToolPartPattern::All => true,
                ToolPartPattern::Name(name) => of_server && *name == spelled.name,
                ToolPartPattern::Prefix(prefix) => {
                    of_server && spelled.snake.starts_with(prefix.as_str())
                }
            }
    }

    /// Returns how much of a name the pattern specifies.
    pub(crate) fn specificity(&self) -> usize {
        self.pattern.specificity()
    }
}

/// Returns a name in snake case. A separator at its end stays, so that a prefix still ends at the
/// end of a word.
fn snake(name: &str) -> String {
    let mut snake = words(name).join("_").to_lowercase();
    if name.ends_with(|c: char| !c.is_alphanumeric()) {
        snake.push('_');
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::{FoldedToolName, StrictPattern};

    fn covers(pattern: &str, tool: &str) -> bool {
        let tool = tool.parse().expect("a tool");
        StrictPattern::new(pattern.parse().expect("a pattern")).covers(&FoldedToolName::new(&tool))
    }

    #[test]
    fn a_restriction_holds_in_every_spelling() {
        for (pattern, tool) in [
            ("*", "a:b"),
            ("my_server:*", "my-server:echo"),
            ("myServer:delete_file", "my-server:deleteFile"),
            ("fs:delete_*", "fs:deleteFile"),
            ("fs:deleteF*", "fs:delete_file"),
            ("fs:del*", "fs:delete_file"),
            ("a.b:get.env", "ab:getEnv"),
        ] {
            assert!(covers(pattern, tool), "{pattern} {tool}");
        }
        for (pattern, tool) in [
            ("fs:*", "fs2:read"),
            ("fs:read_*", "fs:readme"),
            ("fs:read", "fs:read_file"),
            ("fs:get_env", "os:get_env"),
        ] {
            assert!(!covers(pattern, tool), "{pattern} {tool}");
        }
    }
}
