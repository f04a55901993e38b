//! The policy: patterns over tools, and the decision that they lead to.
//!
//! Deny wins. Between ask and allow the more specific pattern wins, and a tie asks. A tool that no
//! pattern names is refused, or asked about if the settings say so. Deny and ask apply to every
//! spelling of a name; allow applies only to the exact name. A call of a tool that is allowed and
//! has grants is sent only while one of the grants covers it. What the user allows for one run is
//! sent where the rest would ask, unless a grant of the tool has lapsed.

use super::grants::Grants;
use super::{AskReason, PolicySubject, PolicyVerdict};
use crate::config::{Config, EngineSettings};
use crate::error::Error;
use crate::model::{
    CallError, Code, FoldedToolName, PathResolver, StrictPattern, ToolName, ToolPattern,
};

/// The decision of a policy on the calls of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyDecision {
    /// They are sent.
    Go,
    /// A person is asked about each.
    Ask {
        /// The reason.
        reason: String,
    },
    /// They are refused.
    Deny {
        /// The reason.
        reason: String,
    },
}

impl PolicyDecision {
    /// Returns `go`, `ask` or `deny`.
    pub fn as_str(&self) -> &'static str {
        match self {
            PolicyDecision::Go => "allow",
            PolicyDecision::Ask { .. } => "ask",
            PolicyDecision::Deny { .. } => "deny",
        }
    }
}

/// The rules for which tools may be called. An engine with the same settings applies the same
/// policy.
#[derive(Debug, Default)]
pub struct Policy {
    allow: Vec<ToolPattern>,
    /// Tools that are allowed even where the settings ask.
    allow_over_ask: Vec<ToolPattern>,
    ask: Vec<StrictPattern>,
    deny: Vec<StrictPattern>,
    /// Whether a person is asked about tools that no pattern names.
    ask_unnamed: bool,
    grants: Grants,
}

impl From<&EngineSettings> for Policy {
    fn from(settings: &EngineSettings) -> Policy {
        Policy {
            allow: settings.allow.clone(),
            allow_over_ask: settings.allow_over_ask.clone(),
            ask: settings.ask.iter().cloned().map(StrictPattern::new).collect(),
            deny: settings.deny.iter().cloned().map(StrictPattern::new).collect(),
            ask_unnamed: settings.ask_unnamed,
            grants: Grants::new(&settings.grants),
        }
    }
}

impl Policy {
    /// Returns the policy that settings describe.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(config: &Config) -> Result<Policy, Error> {
        Ok(Policy::from(&EngineSettings::try_from(config)?))
    }

    /// Returns the decision on the calls of a tool, as long as the tool does not change.
    /// [`Policy::grant_conditions`] returns the conditions on their arguments.
    pub fn decision(&self, tool: &ToolName) -> PolicyDecision {
        match self.by_patterns(tool) {
            PolicyVerdict::Go | PolicyVerdict::GoOverAsk => PolicyDecision::Go,
            PolicyVerdict::Ask(why) => PolicyDecision::Ask { reason: why.reason },
            PolicyVerdict::Deny(error) => PolicyDecision::Deny { reason: error.message },
        }
    }

    /// Returns the conditions under which calls of a permanently allowed tool are sent, or `None`
    /// if there are none.
    pub fn grant_conditions(&self, tool: &ToolName) -> Option<String> {
        matches!(self.by_patterns(tool), PolicyVerdict::Go)
            .then(|| self.grants.conditions_of(tool))?
    }

    pub(super) fn verdict(
        &self,
        subject: PolicySubject<'_>,
        paths: &dyn PathResolver,
    ) -> PolicyVerdict {
        let reason = || self.grants.ask_reason(subject, paths);
        match self.by_patterns(subject.tool) {
            PolicyVerdict::Go => match reason() {
                // The word for one run stands above conditions, not above a grant that has lapsed.
                Some(why) if why.lapsed.is_none() && self.allows_over_ask(subject.tool) => {
                    PolicyVerdict::GoOverAsk
                }
                why => why.map_or(PolicyVerdict::Go, PolicyVerdict::Ask),
            },
            PolicyVerdict::GoOverAsk => {
                let lapsed = reason().filter(|why| why.lapsed.is_some());
                lapsed.map_or(PolicyVerdict::GoOverAsk, PolicyVerdict::Ask)
            }
            verdict => verdict,
        }
    }

    fn allows_over_ask(&self, tool: &ToolName) -> bool {
        self.allow_over_ask.iter().any(|pattern| pattern.covers(tool))
    }

    fn by_patterns(&self, tool: &ToolName) -> PolicyVerdict {
        if let Some(denied) = self.denied(tool) {
            return PolicyVerdict::Deny(denied);
        }
        let allow = self.allow.iter().filter(|pattern| pattern.covers(tool));
        let allow = allow.map(ToolPattern::specificity).max();
        let ask = highest_specificity(&self.ask, tool);
        match (allow, ask) {
            (allow, ask) if allow <= ask && self.allows_over_ask(tool) => PolicyVerdict::GoOverAsk,
            (None, None) if !self.ask_unnamed => {
                let message = format!("tool `{tool}` is not allowed");
                PolicyVerdict::Deny(CallError::new(Code::ToolDenied, message))
            }
            (allow, ask) if allow > ask => PolicyVerdict::Go,
            (None, None) => {
                PolicyVerdict::Ask(AskReason::new(format!("no permission covers `{tool}`")))
            }
            _ => PolicyVerdict::Ask(AskReason::new(format!(
                "your permissions say to ask before `{tool}` is called"
            ))),
        }
    }

    /// Returns the refusal of a tool that a pattern denies.
    pub(super) fn denied(&self, tool: &ToolName) -> Option<CallError> {
        let denied = highest_specificity(&self.deny, tool).is_some();
        let message = || format!("Tool {tool} is denied by user config");
        denied.then(|| CallError::new(Code::ToolDenied, message()))
    }
}

/// Returns the specificity of the most specific pattern that covers a tool: how much of the name it
/// spells out.
fn highest_specificity(patterns: &[StrictPattern], tool: &ToolName) -> Option<usize> {
    // Most policies restrict no tool, and every call is checked here.
    let folded = (!patterns.is_empty()).then(|| FoldedToolName::new(tool))?;
    let covering = patterns.iter().filter(|pattern| pattern.covers(&folded));
    covering.map(StrictPattern::specificity).max()
}

#[cfg(test)]
mod tests {
    use super::Policy;

    fn policy(allow: &[&str], ask: &[&str], deny: &[&str]) -> Policy {
        let mut config = crate::config::Config::new();
        for pattern in allow {
            config.allow_tool(*pattern);
        }
        for pattern in ask {
            config.ask_tool(*pattern);
        }
        for pattern in deny {
            config.deny_tool(*pattern);
        }
        Policy::new(&config).expect("patterns")
    }

    fn verdict(allow: &[&str], ask: &[&str], deny: &[&str], tool: &str) -> &'static str {
        verdict_of(&policy(allow, ask, deny), tool)
    }

    fn verdict_of(policy: &Policy, tool: &str) -> &'static str {
        policy.decision(&tool.parse().expect("a tool")).as_str()
    }

    #[test]
    fn deny_wins_over_everything() {
        assert_eq!(verdict(&["a:b"], &["a:b"], &["a:*"], "a:b"), "deny");
        assert_eq!(verdict(&["a:b"], &[], &["*"], "a:b"), "deny");
        assert_eq!(verdict(&["a:b"], &[], &["a:c"], "a:b"), "allow");
    }

    #[test]
    fn the_more_specific_of_ask_and_allow_wins_and_a_tie_asks() {
        assert_eq!(verdict(&["a:b"], &["a:*"], &[], "a:b"), "allow");
        assert_eq!(verdict(&["a:*"], &["a:b"], &[], "a:b"), "ask");
        assert_eq!(verdict(&["a:get_*"], &["a:*"], &[], "a:get_x"), "allow");
        assert_eq!(verdict(&["*"], &["a:*"], &[], "a:b"), "ask");
        assert_eq!(verdict(&["a:*"], &["a:*"], &[], "a:b"), "ask");
        assert_eq!(verdict(&["a:b"], &["a:b"], &[], "a:b"), "ask");
    }

    #[test]
    fn what_restricts_holds_in_every_spelling_and_what_allows_does_not() {
        assert_eq!(verdict(&["*"], &[], &["my_server:*"], "my-server:echo"), "deny");
        assert_eq!(verdict(&["*"], &[], &["a:deleteFile"], "a:delete_file"), "deny");
        assert_eq!(verdict(&["a:*"], &["a:delete_*"], &[], "a:deleteFile"), "ask");
        assert_eq!(verdict(&["a:deleteFile"], &[], &[], "a:delete_file"), "deny");
    }

    #[test]
    fn a_grant_restricts_what_is_allowed_and_allows_nothing() {
        let tool: crate::model::ToolName = "a:b".parse().expect("a tool");
        let asked = |allow: &str, ask: &str| {
            let mut config = crate::config::Config::new();
            config.ask_unnamed().allow_tool(allow).ask_tool(ask);
            let was = crate::model::ToolOrigin::new("d", "s");
            config.grant(crate::model::Grant::new(tool.clone(), Some(was.clone()), Vec::new()));
            let policy = Policy::new(&config).expect("patterns");
            let verdict = |origin| {
                let arguments = super::super::ArgumentsRef::Text("{}");
                let subject = super::PolicySubject { tool: &tool, origin, arguments };
                policy.verdict(subject, &crate::model::LexicalPaths)
            };
            [verdict(Some(&was)), verdict(None)].map(|verdict| match verdict {
                super::PolicyVerdict::Go => "go",
                super::PolicyVerdict::GoOverAsk => "over ask",
                super::PolicyVerdict::Ask(why) if why.lapsed.is_some() => "lapsed",
                super::PolicyVerdict::Ask(_) => "ask",
                super::PolicyVerdict::Deny(_) => "deny",
            })
        };
        assert_eq!(asked("a:b", "*"), ["go", "lapsed"]);
        assert_eq!(asked("a:*", "*"), ["go", "lapsed"]);
        assert_eq!(asked("a:*", "a:b"), ["ask", "ask"]);
        assert_eq!(asked("c:d", "*"), ["ask", "ask"]);
    }

    #[test]
    fn the_word_for_one_run_beats_ask_and_conditions_and_neither_deny_nor_a_lapse() {
        use super::super::{ArgumentsRef, PolicySubject};
        use crate::model::{Condition, Constraint, Grant, LexicalPaths, ToolOrigin};
        let tool: crate::model::ToolName = "a:b".parse().expect("a tool");
        let (was, is) = (ToolOrigin::new("d", "s"), ToolOrigin::new("e", "s"));
        let verdict = |change: &dyn Fn(&mut crate::config::Config), origin: &ToolOrigin| {
            let mut config = crate::config::Config::new();
            config.allow_over_ask("a:*");
            change(&mut config);
            let policy = Policy::new(&config).expect("patterns");
            let arguments = ArgumentsRef::Text("{\"path\":\"/x\"}");
            let subject = PolicySubject { tool: &tool, origin: Some(origin), arguments };
            match policy.verdict(subject, &LexicalPaths) {
                super::PolicyVerdict::Go => "go",
                super::PolicyVerdict::GoOverAsk => "over ask",
                super::PolicyVerdict::Ask(_) => "ask",
                super::PolicyVerdict::Deny(_) => "deny",
            }
        };
        let under = || vec![Constraint::new("path", Condition::Under("/a".into()))];
        let grant = |constraints| Grant::new(tool.clone(), Some(was.clone()), constraints);
        assert_eq!(verdict(&|_| {}, &was), "over ask", "nothing names it");
        assert_eq!(verdict(&|c| _ = c.ask_tool("a:b"), &was), "over ask");
        assert_eq!(verdict(&|c| _ = c.allow_tool("a:b"), &was), "go", "it is allowed anyway");
        assert_eq!(verdict(&|c| _ = c.deny_tool("*"), &was), "deny");
        let conditional = |c: &mut crate::config::Config| {
            c.allow_tool("a:b").grant(grant(under()));
        };
        assert_eq!(verdict(&conditional, &was), "over ask", "its condition does not hold");
        assert_eq!(verdict(&conditional, &is), "ask", "it is not what was granted");
        let asked = |c: &mut crate::config::Config| {
            c.ask_tool("a:b").grant(grant(Vec::new()));
        };
        assert_eq!(verdict(&asked, &is), "ask", "the same under a pattern that asks");
        assert_eq!(verdict(&asked, &was), "over ask");
    }

    #[test]
    fn what_nothing_names_is_refused() {
        assert_eq!(verdict(&["a:*"], &["b:*"], &[], "c:d"), "deny");
        assert_eq!(verdict(&[], &[], &[], "c:d"), "deny");
    }

    #[test]
    fn what_nothing_names_is_asked_about_where_the_settings_say_so() {
        let policy = Policy { ask_unnamed: true, ..policy(&["a:*"], &[], &["b:*"]) };
        assert_eq!(verdict_of(&policy, "a:x"), "allow");
        assert_eq!(verdict_of(&policy, "b:x"), "deny");
        assert_eq!(verdict_of(&policy, "c:d"), "ask");
    }
}
