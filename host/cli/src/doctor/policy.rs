//! Checks the policy: finds patterns and grants that do less, or more, than they seem to.

use super::check::DoctorCheck;
use crate::quantity::counted;
use pml::{
    Project,
    policy::{Grant, ToolPattern},
    project::ProjectDeclarations,
    text::nearest,
    tool::{BUILT_IN, Definition},
};
use std::collections::BTreeSet;
use std::sync::Arc;

const AREA: &str = "policy";

/// Checks a project's patterns and grants. `definitions` are the known tools.
pub(super) fn checks(project: &Project, definitions: &[Arc<Definition>]) -> Vec<DoctorCheck> {
    let texts = |patterns: &[ToolPattern]| patterns.iter().cloned().map(String::from).collect();
    let patterns = Patterns {
        // Patterns of an untrusted file are checked too.
        allow: texts(&project.declared.allow),
        ask: texts(&project.permissions.ask),
        deny: texts(&project.permissions.deny),
    };
    let servers: Vec<&str> =
        project.declared.servers.iter().map(|server| server.name.as_str()).collect();
    let mut checks = patterns.contradictions();
    let identity = |name: &str| {
        let server = project.servers.iter().find(|server| server.name == name);
        server.map(|server| server.identity.as_str())
    };
    checks.extend(check_grants(&project.declared, definitions, identity));
    if project.declared.model_may_approve {
        checks.push(
            DoctorCheck::warning(
                AREA,
                "`approvals.modelMayApprove`: the model may approve its own calls",
            )
            .hint("remove `modelMayApprove` if you want to be asked yourself"),
        );
    }
    // The cloud may have servers that are not known here.
    if project.cloud.is_none() {
        checks.extend(patterns.without_effect(&servers, definitions));
    }
    // Without settings there is nothing that could contradict itself.
    if checks.is_empty() && project.files().next().is_some() {
        let count = patterns.allow.len() + patterns.ask.len() + patterns.deny.len();
        let mut what = counted(count as u64, "pattern");
        match project.declared.grants.len() {
            0 => {}
            grants => what += &format!(" and {}", counted(grants as u64, "grant")),
        }
        what += ", no contradictions";
        checks.push(DoctorCheck::fine(AREA, what));
    }
    checks
}

struct Patterns {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

impl Patterns {
    fn contradictions(&self) -> Vec<DoctorCheck> {
        let mut checks = Vec::new();
        for pattern in &self.allow {
            if let Some(denied) = self.deny.iter().find(|denied| covers(denied, pattern)) {
                let what = match denied == pattern {
                    true => format!("`{pattern}` is in `allow` and in `deny`: it is denied"),
                    false => format!(
                        "`{pattern}` in `allow` has no effect, because `{denied}` is denied"
                    ),
                };
                checks.push(DoctorCheck::warning(AREA, what).hint("remove one of the two"));
            } else if self.ask.contains(pattern) && pattern != "*" {
                checks.push(
                    DoctorCheck::warning(
                        AREA,
                        format!("`{pattern}` is in `allow` and in `ask`: it asks"),
                    )
                    .hint("remove one of the two"),
                );
            } else if pattern == "*" && !self.ask.contains(pattern) {
                checks.push(
                    DoctorCheck::warning(
                        AREA,
                        "`allow` has `*`: every tool of every server is called without asking",
                    )
                    .hint("allow only what you need, as in `server:*` or `server:get_*`"),
                );
            }
        }
        checks
    }

    /// Returns a warning for each pattern that covers no tool.
    fn without_effect(
        &self,
        servers: &[&str],
        definitions: &[Arc<Definition>],
    ) -> Vec<DoctorCheck> {
        let listed: BTreeSet<&str> =
            definitions.iter().map(|definition| definition.tool.server()).collect();
        let mut checks = Vec::new();
        for (list, patterns) in [("allow", &self.allow), ("ask", &self.ask), ("deny", &self.deny)] {
            for pattern in patterns {
                let Some((server, tool)) = pattern.split_once(':') else { continue };
                if server == BUILT_IN {
                    continue;
                }
                if !servers.contains(&server) {
                    let what = format!("`{list}` has `{pattern}`: there is no server `{server}`");
                    let near = nearest(server, servers.iter().copied());
                    checks.push(with_suggestion(DoctorCheck::warning(AREA, what), &near));
                    continue;
                }
                let of_server = || definitions.iter().filter(|one| one.tool.server() == server);
                let covered = of_server().any(|one| covers(pattern, one.tool.as_str()));
                if listed.contains(server) && !covered {
                    let what = format!("`{list}` has `{pattern}`: `{server}` has no such tool");
                    let near =
                        nearest(tool.trim_end_matches('*'), of_server().map(|one| one.tool.tool()));
                    checks.push(with_suggestion(DoctorCheck::warning(AREA, what), &near));
                }
            }
        }
        checks
    }
}

/// Returns a warning for each grant without effect: `allow` does not cover its tool, an older pml
/// wrote it, or the tool has changed since.
fn check_grants<'a>(
    declared: &ProjectDeclarations,
    definitions: &[Arc<Definition>],
    identity: impl Fn(&str) -> Option<&'a str>,
) -> Vec<DoctorCheck> {
    let has_lapsed = |grant: &Grant| {
        let Some(granted_origin) = &grant.origin else { return false };
        let known = definitions.iter().find(|definition| definition.tool == grant.tool);
        let server = identity(grant.tool.server());
        known.is_some_and(|known| known.digest() != *granted_origin.definition)
            || server.is_some_and(|server| *server != *granted_origin.server)
    };
    let tools: BTreeSet<_> = declared.grants.iter().map(|grant| &grant.tool).collect();
    let mut checks = Vec::new();
    for tool in tools {
        let mut tool_grants = declared.grants.iter().filter(|grant| grant.tool == *tool);
        if !declared.allow.iter().any(|pattern| pattern.covers(tool)) {
            let what = format!(
                "`grants` has `{tool}`, which `allow` does not cover: the grant has no effect"
            );
            checks.push(
                DoctorCheck::warning(AREA, what)
                    .hint("remove the grant, or add the tool to `allow`"),
            );
        } else if let Some(older) = tool_grants.clone().find(|grant| grant.has_older_conditions()) {
            let what = format!("`grants` has {older}");
            let hint = "call the tool: you are asked, and `always` writes the grant again";
            checks.push(DoctorCheck::warning(AREA, what).hint(hint));
        } else if tool_grants.all(has_lapsed) {
            let what = format!("`{tool}` has changed since it was always allowed: it asks");
            let hint = "call the tool: the question shows what has changed";
            checks.push(DoctorCheck::warning(AREA, what).hint(hint));
        }
    }
    checks
}

/// Reports whether `wide` covers everything that `narrow` covers.
fn covers(wide: &str, narrow: &str) -> bool {
    match wide.strip_suffix('*') {
        Some(prefix) => narrow.trim_end_matches('*').starts_with(prefix),
        None => wide == narrow,
    }
}

fn with_suggestion(check: DoctorCheck, near: &[&str]) -> DoctorCheck {
    match near.first() {
        Some(near) => check.hint(format!("did you mean `{}`?", pml::text::escape(near))),
        None => check.hint("remove the pattern, or correct it"),
    }
}

#[cfg(test)]
mod tests {
    use super::Patterns;
    use pml::json::json;
    use pml::tool::Definition;
    use std::sync::Arc;

    fn patterns(allow: &[&str], ask: &[&str], deny: &[&str]) -> Patterns {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Patterns { allow: texts(allow), ask: texts(ask), deny: texts(deny) }
    }

    fn contradictions(allow: &[&str], ask: &[&str], deny: &[&str]) -> String {
        let checks = patterns(allow, ask, deny).contradictions();
        checks.into_iter().map(|check| check.message).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn patterns_that_undo_each_other_are_named() {
        assert_eq!(contradictions(&["a:b"], &["*"], &["a:c"]), "");
        assert_eq!(
            contradictions(&["a:b"], &[], &["a:b"]),
            "`a:b` is in `allow` and in `deny`: it is denied"
        );
        assert_eq!(
            contradictions(&["a:b_*"], &[], &["a:*"]),
            "`a:b_*` in `allow` has no effect, because `a:*` is denied"
        );
        assert_eq!(
            contradictions(&["a:b"], &["a:b"], &[]),
            "`a:b` is in `allow` and in `ask`: it asks"
        );
        assert!(contradictions(&["*"], &["a:*"], &[]).contains("without asking"));
    }

    #[test]
    fn grants_that_do_nothing_or_have_lapsed_are_named() {
        let tool = "fs:read".parse::<pml::ToolName>().unwrap();
        let known = [Arc::new(Definition::new(tool.clone(), "", json!({})))];
        let now = pml::tool::ToolOrigin::new(known[0].digest(), "server");
        let found = |allow: &str, origins: &[&pml::tool::ToolOrigin], identity: &'static str| {
            let mut declared = pml::project::ProjectDeclarations::default();
            declared.allow.push(allow.parse().unwrap());
            declared.grants.extend(origins.iter().map(|origin| {
                pml::policy::Grant::new(tool.clone(), Some((*origin).clone()), Vec::new())
            }));
            let checks = super::check_grants(&declared, &known, |_| Some(identity));
            checks.into_iter().map(|check| check.message).collect::<Vec<_>>().join("; ")
        };
        let before = pml::tool::ToolOrigin::new("another", "server");
        assert_eq!(found("fs:*", &[&now], "server"), "");
        assert!(found("git:*", &[&now], "server").contains("`allow` does not cover"));
        assert!(found("fs:read", &[&before], "server").contains("has changed since"));
        assert!(found("fs:read", &[&now], "moved").contains("has changed since"));
        assert_eq!(found("fs:read", &[&before, &now], "server"), "");
    }

    #[test]
    fn a_grant_of_an_older_pml_is_named_with_what_it_said() {
        let under =
            pml::approval::Constraint::new("path", pml::approval::Condition::Under("/n".into()));
        let found = |version| {
            let mut grant =
                pml::policy::Grant::new("fs:read".parse().unwrap(), None, vec![under.clone()]);
            grant.version = version;
            let mut declared = pml::project::ProjectDeclarations::default();
            declared.allow.push("fs:*".parse().unwrap());
            declared.grants.push(grant);
            let checks = super::check_grants(&declared, &[], |_| None);
            checks.into_iter().map(|check| check.message).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(found(pml::policy::GrantVersion::Current), "");
        assert_eq!(
            found(pml::policy::GrantVersion::Older),
            "`grants` has `fs:read` with `path` under `/n` (written by an older pml: it asks once more)"
        );
    }

    #[test]
    fn patterns_that_cover_nothing_are_named_with_what_is_near() {
        let tool = "fs:read_file".parse().unwrap();
        let known = [Arc::new(Definition::new(tool, "", json!({})))];
        let found = |pattern: &str| {
            let checks = patterns(&[pattern], &[], &[]).without_effect(&["fs", "git"], &known);
            checks.into_iter().next().map(|check| (check.message, check.hint.unwrap_or_default()))
        };
        assert_eq!(found("fs:read_*"), None);
        assert_eq!(found("fs:*"), None);
        assert_eq!(found("git:anything"), None, "nothing is known of its tools");
        assert_eq!(found("pml:confirm"), None);
        let (what, hint) = found("fs:raed_file").unwrap();
        assert_eq!(what, "`allow` has `fs:raed_file`: `fs` has no such tool");
        assert_eq!(hint, "did you mean `read_file`?");
        let (what, hint) = found("gti:*").unwrap();
        assert_eq!(what, "`allow` has `gti:*`: there is no server `gti`");
        assert_eq!(hint, "did you mean `git`?");
    }
}
