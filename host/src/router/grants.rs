//! Grants, and the check that one of them still covers a call.
//!
//! Input: a call that the patterns allow. Output: the reason why a person must decide after all, or
//! `None`.
//!
//! **Invariant:** arguments are parsed only if a grant of this tool has conditions on them.
//! **Invariant:** a grant allows its own tool by its exact name only. The existence of a grant
//! restricts the tool in every spelling, as every restriction does.

use super::{ArgumentsRef, AskReason, PolicySubject};
use crate::model::{Constraint, Grant, PathResolver, ToolName, fold};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// Number of alternatives that a reason lists. A longer list would hide the reason itself.
const MAX_NAMED: usize = 3;

/// Grants by the folded name of their tool, which all spellings of a name share.
#[derive(Debug, Default)]
pub(super) struct Grants {
    by_tool: HashMap<String, Vec<Grant>>,
}

impl Grants {
    pub(super) fn new(grants: &[Grant]) -> Grants {
        let mut by_tool: HashMap<String, Vec<Grant>> = HashMap::new();
        for grant in grants {
            by_tool.entry(key(&grant.tool)).or_default().push(grant.clone());
        }
        Grants { by_tool }
    }

    /// Returns the reason why a person decides on a call that is allowed, or `None` if it is sent.
    pub(super) fn ask_reason(
        &self,
        subject: PolicySubject<'_>,
        paths: &dyn PathResolver,
    ) -> Option<AskReason> {
        // Most projects have no grants, and every call is checked here.
        let grants = (!self.by_tool.is_empty()).then(|| self.by_tool.get(&key(subject.tool)))??;
        let tool = subject.tool;
        let own = grants.iter().filter(|grant| grant.tool == *tool);
        let (current, lapsed): (Vec<&Grant>, Vec<&Grant>) =
            own.partition(|grant| grant.matches_origin(subject.origin));
        if current.iter().any(|grant| grant.constraints.is_empty()) {
            return None;
        }
        let arguments = parse_arguments(subject.arguments);
        let covers =
            |grant: &&&Grant| arguments.as_deref().is_some_and(|given| grant.covers(given, paths));
        let covered_before = |grant: &&&Grant| {
            arguments.as_deref().is_some_and(|given| grant.covered_under_older_rules(given))
        };
        if current.iter().any(|grant| covers(&grant)) {
            return None;
        }
        if let Some(was) = current.iter().rev().find(covered_before) {
            let was = (*was).clone();
            let reason = format!(
                "`{tool}` was always allowed by an older pml {}, with any other arguments: \
                 now a condition must name each argument",
                conditions_text(&[&was])
            );
            return Some(AskReason { reason, lapsed: Some(Box::new(was)) });
        }
        if !current.is_empty() {
            let only = conditions_text(&current);
            let gaps = gaps_text(&current, arguments.as_deref(), paths);
            return Some(AskReason::new(format!("`{tool}` is always allowed only {only}{gaps}")));
        }
        // Prefers the newest lapsed grant that covered such arguments, otherwise the newest one.
        let like = |grant: &&&Grant| covers(grant) || covered_before(grant);
        let was = lapsed.iter().rev().find(like).or(lapsed.last());
        Some(match was {
            Some(was) => AskReason {
                reason: format!("`{tool}` has changed since it was always allowed"),
                lapsed: Some(Box::new((*was).clone())),
            },
            None => AskReason::new(format!(
                "another spelling of `{tool}` is always allowed, not this one"
            )),
        })
    }

    /// Returns the conditions under which calls of an allowed tool are sent, or `None` if there are
    /// none.
    pub(super) fn conditions_of(&self, tool: &ToolName) -> Option<String> {
        let grants = self.by_tool.get(&key(tool))?;
        let own: Vec<&Grant> = grants.iter().filter(|grant| grant.tool == *tool).collect();
        let conditional = !own.is_empty() && own.iter().all(|grant| !grant.constraints.is_empty());
        let older = match own.iter().any(|grant| grant.has_older_conditions()) {
            true => "; conditions that an older pml wrote ask once more",
            false => "",
        };
        conditional.then(|| format!("only {}{older}", conditions_text(&own)))
    }
}

fn key(tool: &ToolName) -> String {
    format!("{}:{}", fold(tool.server()), fold(tool.tool()))
}

fn parse_arguments(given: ArgumentsRef<'_>) -> Option<Cow<'_, Value>> {
    match given {
        ArgumentsRef::Text(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        ArgumentsRef::Value(value) => Some(Cow::Borrowed(value)),
    }
}

/// Describes the arguments that these grants require: `` with `path` under `/a`, or with … ``.
fn conditions_text(grants: &[&Grant]) -> String {
    let one = |grant: &&Grant| {
        let constraints = grant.constraints.iter().map(ToString::to_string);
        format!("with {}", constraints.collect::<Vec<_>>().join(", "))
    };
    let mut named: Vec<String> = grants.iter().take(MAX_NAMED).map(one).collect();
    if grants.len() > MAX_NAMED {
        named.push(format!("under {} more conditions", grants.len() - MAX_NAMED));
    }
    named.join(", or ")
}

/// Describes why the grant that comes nearest to covering a call does not cover it.
fn gaps_text(grants: &[&Grant], arguments: Option<&Value>, paths: &dyn PathResolver) -> String {
    let Some(arguments) = arguments else { return String::new() };
    let current = grants.iter().filter(|grant| !grant.has_older_conditions());
    let gaps = current.map(|grant| Constraint::gaps(&grant.constraints, arguments, paths));
    match gaps.min_by_key(Vec::len) {
        Some(gaps) => {
            let gaps: Vec<_> = gaps.iter().map(ToString::to_string).collect();
            format!("; not covered: {}", gaps.join("; "))
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::Grants;
    use crate::model::{Condition, Constraint, Grant, GrantVersion, LexicalPaths, ToolOrigin};
    use crate::router::{ArgumentsRef, AskReason, PolicySubject};
    use serde_json::{Value, json};

    fn under(folder: &str) -> Vec<Constraint> {
        vec![Constraint::new("path", Condition::Under(folder.into()))]
    }

    fn grant(origin: Option<ToolOrigin>, constraints: Vec<Constraint>) -> Grant {
        Grant::new("fs:read_file".parse().expect("a tool"), origin, constraints)
    }

    fn origin(definition: &str) -> ToolOrigin {
        ToolOrigin::new(definition, "server")
    }

    fn why(grants: &[Grant], is: Option<&ToolOrigin>, arguments: &Value) -> Option<AskReason> {
        of("fs:read_file", grants, is, arguments)
    }

    fn of(
        tool: &str,
        grants: &[Grant],
        is: Option<&ToolOrigin>,
        arguments: &Value,
    ) -> Option<AskReason> {
        let (tool, text) = (tool.parse().expect("a tool"), arguments.to_string());
        let grants = Grants::new(grants);
        let asked = |arguments| {
            grants.ask_reason(PolicySubject { tool: &tool, origin: is, arguments }, &LexicalPaths)
        };
        let why = asked(ArgumentsRef::Value(arguments));
        assert_eq!(
            why,
            asked(ArgumentsRef::Text(&text)),
            "read or not, they are the same arguments"
        );
        why
    }

    fn was(why: &AskReason) -> Option<ToolOrigin> {
        why.lapsed.as_ref()?.origin.clone()
    }

    #[test]
    fn a_tool_without_grants_goes() {
        assert_eq!(why(&[], None, &json!({})), None);
        assert_eq!(of("fs:write", &[grant(None, under("/n"))], None, &json!({})), None);
    }

    #[test]
    fn a_grant_holds_while_the_tool_is_what_it_was() {
        let grants = [grant(Some(origin("one")), Vec::new())];
        assert_eq!(why(&grants, Some(&origin("one")), &json!({})), None);
        let lapsed = why(&grants, Some(&origin("two")), &json!({})).expect("it asks");
        assert_eq!(was(&lapsed), Some(origin("one")));
        assert!(
            lapsed.reason.contains("has changed since it was always allowed"),
            "{}",
            lapsed.reason
        );
        let moved = ToolOrigin::new("one", "another server");
        let lapsed = why(&grants, Some(&moved), &json!({})).expect("it asks");
        assert_eq!(was(&lapsed), Some(origin("one")));
        // Nothing is known about the tool, so it is not known to be the same.
        let lapsed = why(&grants, None, &json!({})).expect("it asks");
        assert_eq!(was(&lapsed), Some(origin("one")));
    }

    #[test]
    fn a_grant_with_conditions_holds_for_such_arguments_only() {
        let grants = [grant(Some(origin("one")), under("/n"))];
        let is = origin("one");
        assert_eq!(why(&grants, Some(&is), &json!({ "path": "/n/a" })), None);
        for (other, gap) in [
            (json!({ "path": "/m" }), "`path`"),
            (json!({ "path": "/n/../m" }), "`path`"),
            (json!({}), "`path`, which is missing"),
            (json!({ "path": "/n/a", "force": null }), "`force`, which no condition names"),
            (json!(null), "arguments without names"),
        ] {
            let why = why(&grants, Some(&is), &other).expect("it asks");
            let only = "`fs:read_file` is always allowed only with `path` under `/n`";
            assert_eq!(why, AskReason::new(format!("{only}; not covered: {gap}")));
        }
    }

    #[test]
    fn one_grant_that_holds_is_enough() {
        let two = [grant(None, under("/n")), grant(None, under("/m"))];
        assert_eq!(why(&two, None, &json!({ "path": "/m/a" })), None);
        let asked = why(&two, None, &json!({ "path": "/o" })).expect("it asks");
        assert!(
            asked
                .reason
                .contains("with `path` under `/n`, or with `path` under `/m`; not covered:"),
            "{}",
            asked.reason
        );
        let plain = [grant(None, under("/n")), grant(None, Vec::new())];
        assert_eq!(why(&plain, None, &json!({})), None);
    }

    #[test]
    fn a_change_that_was_seen_is_not_shown_again() {
        // The tool changed, and was then allowed again under narrower conditions.
        let grants =
            [grant(Some(origin("one")), Vec::new()), grant(Some(origin("two")), under("/n"))];
        let asked = why(&grants, Some(&origin("two")), &json!({ "path": "/m" })).expect("it asks");
        assert_eq!(asked.lapsed, None);
        // A further change is reported.
        let asked =
            why(&grants, Some(&origin("three")), &json!({ "path": "/m" })).expect("it asks");
        assert_eq!(was(&asked), Some(origin("one")));
        let asked =
            why(&grants, Some(&origin("three")), &json!({ "path": "/n" })).expect("it asks");
        assert_eq!(was(&asked), Some(origin("two")));
    }

    #[test]
    fn a_grant_of_an_older_pml_lapses_and_only_for_what_it_covered() {
        let is = origin("one");
        let older = |constraints| Grant {
            version: GrantVersion::Older,
            ..grant(Some(origin("one")), constraints)
        };
        let grants = [older(under("/n")), older(under("/m"))];
        let inside = json!({ "path": "/n/a", "force": true });
        let asked = why(&grants, Some(&is), &inside).expect("it asks");
        assert_eq!(asked.lapsed.as_deref(), Some(&grants[0]));
        assert!(asked.reason.contains("an older pml with `path` under `/n`"), "{}", asked.reason);
        let asked = why(&grants, Some(&is), &json!({ "path": "/o" })).expect("it asks");
        assert_eq!(asked.lapsed, None);
        // The replacement covers the call, and the other grant lapses separately.
        let mut named = under("/n");
        named.push(Constraint::new("force", Condition::Equals(json!(true))));
        let renewed = [grant(Some(origin("one")), named), older(under("/m"))];
        assert_eq!(why(&renewed, Some(&is), &inside), None);
        let asked = why(&renewed, Some(&is), &json!({ "path": "/m/a" })).expect("it asks");
        assert_eq!(asked.lapsed.as_deref(), Some(&renewed[1]));
        // A grant for all arguments keeps its meaning.
        assert_eq!(why(&[older(Vec::new())], Some(&is), &inside), None);
    }

    #[test]
    fn another_spelling_is_restricted_and_not_allowed() {
        let grants = [grant(None, Vec::new())];
        let asked = of("fs:readFile", &grants, None, &json!({})).expect("it asks");
        assert!(asked.reason.contains("another spelling"), "{}", asked.reason);
    }

    #[test]
    fn a_remark_says_under_which_conditions_a_tool_goes() {
        let tool = "fs:read_file".parse().expect("a tool");
        let remark = |grants: &[Grant]| Grants::new(grants).conditions_of(&tool);
        assert_eq!(remark(&[]), None);
        assert_eq!(remark(&[grant(None, Vec::new()), grant(None, under("/n"))]), None);
        assert_eq!(
            remark(&[grant(None, under("/n"))]).as_deref(),
            Some("only with `path` under `/n`")
        );
        let many: Vec<_> = (0..9).map(|n| grant(None, under(&format!("/{n}")))).collect();
        assert!(remark(&many).is_some_and(|text| text.ends_with(", or under 6 more conditions")));
    }
}
