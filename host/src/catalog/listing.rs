//! The available tools by name. Finds the tool that a program's spelling means.
//!
//! **Invariant:** an exact name means that tool and no other; another spelling is resolved only if
//! it can mean one tool.

use crate::model::{Definition, NameMatch, ToolName, fold, match_name, nearest};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tools by server and name.
#[derive(Clone, Debug, Default)]
pub struct ToolListing {
    servers: BTreeMap<String, BTreeMap<String, Arc<Definition>>>,
    /// Servers that exist and whose tools are not known.
    unlisted: BTreeSet<String>,
}

/// The reason why a name does not resolve to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnresolvedTool {
    /// No such server exists. These servers have similar names.
    Server(Vec<String>),
    /// The server has no such tool. These tools, as `server:tool`, have similar names.
    Tool(Vec<String>),
    /// The spelling could mean any of these names.
    Ambiguous(Vec<String>),
    /// The server exists, but its tools are not known.
    Unlisted,
}

impl ToolListing {
    /// Returns the listing of these tools.
    pub fn new(definitions: impl IntoIterator<Item = Arc<Definition>>) -> ToolListing {
        let mut listing = ToolListing::default();
        for definition in definitions {
            let tools = listing.servers.entry(definition.tool.server().into()).or_default();
            tools.insert(definition.tool.tool().into(), definition);
        }
        listing
    }

    /// Adds a server whose tools are not known: it could not be started, or was not.
    #[must_use]
    pub fn with_unlisted(mut self, server: impl Into<String>) -> ToolListing {
        self.unlisted.insert(server.into());
        self
    }

    /// Returns the tool that the names mean.
    ///
    /// # Errors
    /// Fails if there is no such tool, or more than one.
    pub fn resolve(&self, server: &str, tool: &str) -> Result<&Arc<Definition>, UnresolvedTool> {
        let names = self.servers.keys().chain(&self.unlisted).map(String::as_str);
        let server = match match_name(server, names.clone()) {
            NameMatch::One(name) => name,
            NameMatch::Several(names) => {
                let names = names.into_iter().map(str::to_owned).collect();
                return Err(UnresolvedTool::Ambiguous(names));
            }
            NameMatch::None => {
                let similar = nearest(server, names);
                return Err(UnresolvedTool::Server(
                    similar.into_iter().map(str::to_owned).collect(),
                ));
            }
        };
        let Some(tools) = self.servers.get(server) else { return Err(UnresolvedTool::Unlisted) };
        let full_name = |name: &str| format!("{server}:{name}");
        match match_name(tool, tools.keys().map(String::as_str)) {
            NameMatch::One(name) => tools.get(name).ok_or(UnresolvedTool::Unlisted),
            NameMatch::Several(names) => {
                Err(UnresolvedTool::Ambiguous(names.iter().map(|name| full_name(name)).collect()))
            }
            NameMatch::None => {
                let similar = nearest(tool, tools.keys().map(String::as_str));
                let mut similar: Vec<String> = similar.into_iter().map(full_name).collect();
                if similar.is_empty() {
                    similar = self.same_name_elsewhere(tool);
                }
                Err(UnresolvedTool::Tool(similar))
            }
        }
    }

    /// Returns all tools, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.servers.values().flat_map(BTreeMap::values)
    }

    /// Returns tools of the same name on other servers.
    fn same_name_elsewhere(&self, tool: &str) -> Vec<String> {
        let same = self.iter().map(|it| &it.tool).filter(|name| fold(name.tool()) == fold(tool));
        same.take(3).map(ToolName::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolListing, UnresolvedTool};
    use crate::model::Definition;
    use serde_json::json;
    use std::sync::Arc;

    fn listing() -> ToolListing {
        let tools = ["my-server:get-env", "my-server:set_a", "my-server:setA", "fs:read_file"];
        ToolListing::new(
            tools.map(|name| {
                Arc::new(Definition::new(name.parse().expect("a tool"), "", json!({})))
            }),
        )
        .with_unlisted("sleepy")
    }

    fn resolved(server: &str, tool: &str) -> Result<String, UnresolvedTool> {
        listing().resolve(server, tool).map(|found| found.tool.to_string())
    }

    #[test]
    fn every_spelling_of_a_name_leads_to_it() {
        for (server, tool) in
            [("my-server", "get-env"), ("myServer", "getEnv"), ("my_server", "get_env")]
        {
            assert_eq!(resolved(server, tool), Ok("my-server:get-env".into()));
        }
    }

    #[test]
    fn an_exact_name_is_never_ambiguous_and_another_spelling_may_be() {
        assert_eq!(resolved("my-server", "setA"), Ok("my-server:setA".into()));
        assert_eq!(resolved("my-server", "set_a"), Ok("my-server:set_a".into()));
        let both = vec!["my-server:setA".into(), "my-server:set_a".into()];
        assert_eq!(resolved("my-server", "set-a"), Err(UnresolvedTool::Ambiguous(both)));
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is_near() {
        assert_eq!(
            resolved("fs", "raed_file"),
            Err(UnresolvedTool::Tool(vec!["fs:read_file".into()]))
        );
        assert_eq!(resolved("fss", "x"), Err(UnresolvedTool::Server(vec!["fs".into()])));
        let elsewhere = vec!["fs:read_file".into()];
        assert_eq!(resolved("my-server", "readFile"), Err(UnresolvedTool::Tool(elsewhere)));
        assert_eq!(resolved("sleepy", "anything"), Err(UnresolvedTool::Unlisted));
    }
}
