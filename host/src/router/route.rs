//! Decides where the calls of a server are sent: to a local server, to the cloud, or nowhere.
//!
//! A server that is configured locally is called locally. For any other name, the first of these
//! that names it decides: the project's `routing`, the cloud's last routing rules, the built-in
//! list of cloud servers. A name that none of them sends to the cloud is unknown.

use super::names::ambiguous;
use crate::model::{CallError, Code, NameMatch, ToolName, escape, match_name, nearest};
use crate::project::servers::RoutingFacts;
use crate::project::{RouteTarget, RoutingRule};

/// Servers whose tools are the cloud's, unless a server of that name is configured or the project's
/// routing decides otherwise.
const CLOUD_SERVERS: &[&str] = &[
    "api",
    "brave_search",
    "context7",
    "crypto",
    "datetime",
    "exa",
    "fetch",
    "github",
    "http",
    "json",
    "magic",
    "math",
    "memory",
    "sequential-thinking",
    "slack",
    "tavily",
];

/// Where a call is sent.
#[derive(Debug, PartialEq)]
pub(super) enum Destination<'a> {
    /// To the configured server of this name.
    Here(&'a str),
    /// To the cloud, which has the server under this name.
    Cloud(&'a str),
}

/// The routing rules, applied to the facts of a project.
pub(super) struct Routes<'f>(pub(super) &'f RoutingFacts);

impl<'f> Routes<'f> {
    /// Returns where a call of a tool is sent.
    pub(super) fn destination<'a>(&self, tool: &'a ToolName) -> Result<Destination<'a>, CallError>
    where
        'f: 'a,
    {
        let server = tool.server();
        if let Some(name) = self.configured(server)? {
            return match self.0.unusable.get(name) {
                None => Ok(Destination::Here(name)),
                Some(reason) => {
                    let message = format!("server `{name}` cannot be used: {reason}");
                    Err(CallError::new(Code::ServerFailed, message))
                }
            };
        }
        if let Some(reason) = &self.0.untrusted {
            let message = format!("there is no server `{}`, and {reason}", escape(server));
            return Err(CallError::new(Code::Untrusted, message).with_hint(
                "`pml trust --show` shows what its files would start and allow, `pml trust` trusts it",
            ));
        }
        let target = target_for(&self.0.routing, tool).or_else(|| target_for(&self.0.synced, tool));
        let built_in = || match match_name(server, CLOUD_SERVERS.iter().copied()) {
            NameMatch::One(name) => Some(name),
            _ => None,
        };
        match (target, built_in()) {
            (Some(RouteTarget::Server), _) => self.to_cloud(tool.server()),
            (None, Some(name)) => self.to_cloud(name),
            _ => Err(self.unknown(server)),
        }
    }

    fn configured(&self, server: &str) -> Result<Option<&'f str>, CallError> {
        if let Some(name) = self.0.names.get(server) {
            return Ok(Some(name));
        }
        match match_name(server, self.0.names.iter().map(String::as_str)) {
            NameMatch::None => Ok(None),
            NameMatch::One(name) => Ok(Some(name)),
            NameMatch::Several(several) => Err(ambiguous("server", server, &several)),
        }
    }

    fn to_cloud<'a>(&self, server: &'a str) -> Result<Destination<'a>, CallError> {
        match self.0.cloud {
            true => Ok(Destination::Cloud(server)),
            false => {
                let server = escape(server);
                let message =
                    format!("server `{server}` is in the cloud, and no cloud is configured");
                Err(CallError::new(Code::CloudRequired, message).with_hint(format!(
                    "`pml add {server} -- COMMAND` adds a server of your own; `cloud.url` in `.pml.json` names a cloud"
                )))
            }
        }
    }

    fn unknown(&self, server: &str) -> CallError {
        let shown = escape(server);
        let near = nearest(server, self.0.names.iter().map(String::as_str));
        let hint = match (near.as_slice(), self.0.names.len()) {
            ([], 0) => {
                format!("no server is configured yet: `pml add {shown} -- COMMAND` adds this one")
            }
            ([], _) => {
                let all: Vec<&str> = self.0.names.iter().map(String::as_str).take(10).collect();
                format!("the servers are `{}`", all.join("`, `"))
            }
            (near, _) => format!("did you mean `{}`?", near.join("` or `")),
        };
        let message = format!("there is no server `{shown}`");
        CallError::new(Code::ToolUnknown, message).with_hint(hint)
    }
}

/// Returns the target of the most specific rule that covers a tool.
fn target_for(rules: &[RoutingRule], tool: &ToolName) -> Option<RouteTarget> {
    let rules = rules.iter().filter(|rule| rule.pattern.covers(tool));
    rules.max_by_key(|rule| rule.pattern.specificity()).map(|rule| rule.to)
}

#[cfg(test)]
mod tests {
    use super::{Destination, Routes};
    use crate::model::{CallError, ToolName};
    use crate::project::servers::RoutingFacts;
    use crate::project::{RouteTarget, RoutingRule};

    fn routes(names: &[&str]) -> RoutingFacts {
        RoutingFacts::new(names.iter().map(|name| (*name).to_owned()))
    }

    fn destination_of(
        routes: &RoutingFacts,
        tool: &str,
    ) -> Result<Destination<'static>, CallError> {
        // Leaking a name is acceptable in a test.
        let tool = Box::leak(Box::new(tool.parse::<ToolName>().expect("a tool")));
        Ok(match Routes(routes).destination(tool)? {
            Destination::Here(name) => Destination::Here(name.to_owned().leak()),
            Destination::Cloud(name) => Destination::Cloud(name.to_owned().leak()),
        })
    }

    fn refusal(routes: &RoutingFacts, tool: &str) -> (String, String) {
        let error = destination_of(routes, tool).expect_err("refused");
        (error.code, error.message)
    }

    fn route(pattern: &str, to: RouteTarget) -> RoutingRule {
        RoutingRule { pattern: pattern.parse().expect("a pattern"), to }
    }

    #[test]
    fn a_server_is_found_in_every_spelling_and_two_of_one_spelling_are_named() {
        let all = routes(&["my-server", "get-x", "get_x"]);
        assert_eq!(destination_of(&all, "my-server:t"), Ok(Destination::Here("my-server")));
        assert_eq!(destination_of(&all, "myServer:t"), Ok(Destination::Here("my-server")));
        assert_eq!(destination_of(&all, "get_x:t"), Ok(Destination::Here("get_x")));
        let (code, message) = refusal(&all, "getX:t");
        assert_eq!(code, "TOOL_AMBIGUOUS");
        assert!(message.contains("`get-x` or `get_x`"), "{message}");
    }

    #[test]
    fn what_is_configured_here_is_called_here_whatever_the_cloud_has() {
        let mut all = routes(&["github"]);
        all.cloud = true;
        all.routing = vec![route("github:*", RouteTarget::Server)];
        assert_eq!(destination_of(&all, "github:search"), Ok(Destination::Here("github")));
        assert_eq!(destination_of(&all, "tavily:search"), Ok(Destination::Cloud("tavily")));
        assert_eq!(
            destination_of(&all, "sequentialThinking:x"),
            Ok(Destination::Cloud("sequential-thinking"))
        );
    }

    #[test]
    fn the_projects_routing_comes_before_the_built_in_list_and_the_more_specific_counts() {
        let mut all = routes(&[]);
        all.cloud = true;
        all.routing = vec![
            route("tavily:*", RouteTarget::Client),
            route("own:*", RouteTarget::Client),
            route("own:far_*", RouteTarget::Server),
        ];
        assert_eq!(refusal(&all, "tavily:search").0, "TOOL_UNKNOWN");
        assert_eq!(destination_of(&all, "own:far_away"), Ok(Destination::Cloud("own")));
        assert_eq!(refusal(&all, "own:near").0, "TOOL_UNKNOWN");
    }

    #[test]
    fn what_the_cloud_said_comes_after_the_project_and_before_the_built_in_list() {
        let mut all = routes(&[]);
        all.cloud = true;
        all.routing = vec![route("own:near", RouteTarget::Client)];
        all.synced =
            vec![route("own:*", RouteTarget::Server), route("tavily:*", RouteTarget::Client)];
        assert_eq!(refusal(&all, "own:near").0, "TOOL_UNKNOWN");
        assert_eq!(destination_of(&all, "own:far"), Ok(Destination::Cloud("own")));
        assert_eq!(refusal(&all, "tavily:search").0, "TOOL_UNKNOWN");
        assert_eq!(destination_of(&all, "exa:search"), Ok(Destination::Cloud("exa")));
    }

    #[test]
    fn a_tool_of_the_cloud_without_a_cloud_is_an_error_of_its_own() {
        let (code, message) = refusal(&routes(&["fs"]), "tavily:search");
        assert_eq!(code, "CLOUD_REQUIRED");
        assert!(message.contains("pml add tavily"), "{message}");
    }

    #[test]
    fn an_unknown_server_is_answered_with_the_nearest() {
        let message = |all: &[&str], tool: &str| refusal(&routes(all), tool).1;
        assert!(message(&["filesystem"], "filesytem:x").contains("did you mean `filesystem`?"));
        assert!(message(&["a1", "b2"], "unlike:x").contains("the servers are `a1`, `b2`"));
        assert!(message(&[], "fs:x").contains("no server is configured"));
    }

    #[test]
    fn a_server_of_files_that_nobody_trusts_says_so() {
        let mut all = routes(&[]);
        all.untrusted = Some("this folder is not trusted".into());
        let (code, message) = refusal(&all, "fs:x");
        assert_eq!(code, "UNTRUSTED");
        assert!(message.contains("`pml trust --show` shows"), "{message}");
    }
}
