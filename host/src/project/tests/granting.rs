//! Tests how permanent grants are written: what stays unchanged, what is replaced, and what is
//! refused.

use super::{ProjectFixture, place as place_with};
use crate::error::Error;
use crate::model::{Code, Condition, Constraint, Grant, GrantVersion, ToolOrigin};
use crate::project::{EditOutcome, Project, TrustState};
use serde_json::json;
use std::fs;

fn place() -> ProjectFixture {
    place_with(&[])
}

/// Makes a trusted project whose settings are `text`.
fn trusted(text: &str) -> ProjectFixture {
    let place = place();
    place.write(".pml.json", text);
    place.trusted();
    place
}

fn grant(tool: &str, definition: &str, folder: Option<&str>) -> Grant {
    let under = |folder: &str| Constraint::new("path", Condition::Under(folder.into()));
    let origin = ToolOrigin::new(definition, "server");
    let constraints = folder.map(under).into_iter().collect();
    Grant::new(tool.parse().unwrap(), Some(origin), constraints)
}

impl ProjectFixture {
    fn grant(
        &self,
        tool: &str,
        definition: &str,
        folder: Option<&str>,
    ) -> Result<EditOutcome, Error> {
        self.settings().grant(&[grant(tool, definition, folder)])
    }

    /// Returns the effective grants, without their times.
    fn grants(&self) -> Vec<Grant> {
        let project = self.project();
        assert_eq!(project.trust, TrustState::Trusted, "{}", self.text());
        let grants = project.permissions.grants.into_iter();
        grants.map(|grant| Grant { granted: None, ..grant }).collect()
    }
}

#[test]
fn a_missing_file_is_made_and_trusted() {
    let place = place();
    let edited = place.grant("fs:read", "d", Some("/n")).unwrap();
    assert_eq!(edited, EditOutcome { changed: true, trusted: true });
    assert_eq!(place.grants(), [grant("fs:read", "d", Some("/n"))]);
    let project = place.project();
    assert!(project.permissions.grants[0].granted.is_some());
    let texts = |patterns: &[crate::model::ToolPattern]| {
        patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&project.permissions.allow), ["fs:read"]);
    assert_eq!(texts(&project.permissions.ask), ["*"]);
    assert!(place.text().starts_with("{\n  \"version\": \"0.1.0\",\n"), "{}", place.text());
}

#[test]
fn the_users_lines_stay_as_they_are() {
    let text = "// mine\n{\n    \"permissions\": {\n        // what I trust\n        \"allow\": [\"git:log\"], // more to come\n        \"ask\": [\n            \"*\", // everything else\n            // dangerous\n            \"fs:read\" // for now\n        ]\n    },\n    \"limits\": { \"calls\": 7 } /* few */\n}\n";
    let place = trusted(text);
    place.grant("fs:read", "d", Some("/n")).unwrap();
    let now = place.text();
    for part in [
        "// mine\n{\n    \"permissions\": {\n        // what I trust\n",
        "\"allow\": [\"git:log\", \"fs:read\"], // more to come\n",
        "\"*\" // everything else\n            // dangerous\n",
        "// for now\n",
        "\"limits\": { \"calls\": 7 } /* few */\n}\n",
    ] {
        assert!(now.contains(part), "{part:?}\n{now}");
    }
    assert_eq!(now.matches("\"fs:read\"").count(), 2, "{now}");
    assert_eq!(place.grants(), [grant("fs:read", "d", Some("/n"))]);
}

#[test]
fn nothing_stands_twice() {
    let place = place();
    assert!(place.grant("fs:read", "d", Some("/n")).unwrap().changed);
    let text = place.text();
    assert!(!place.grant("fs:read", "d", Some("/n")).unwrap().changed);
    assert_eq!(place.text(), text);
    // The same for a tool that has changed: the new origin replaces the old one.
    assert!(place.grant("fs:read", "e", Some("/n")).unwrap().changed);
    assert_eq!(place.grants(), [grant("fs:read", "e", Some("/n"))]);
    // Other arguments need another grant.
    place.grant("fs:read", "e", Some("/m")).unwrap();
    assert_eq!(place.grants().len(), 2);
    assert_eq!(place.text().matches("\"allow\": [\"fs:read\"]").count(), 1, "{}", place.text());
}

#[test]
fn a_grant_for_all_arguments_replaces_those_for_some() {
    let place = place();
    place.grant("fs:read", "d", Some("/n")).unwrap();
    place.grant("fs:read", "d", Some("/m")).unwrap();
    place.grant("fs:write", "d", Some("/n")).unwrap();
    place.grant("fs:read", "d", None).unwrap();
    assert_eq!(place.grants(), [grant("fs:write", "d", Some("/n")), grant("fs:read", "d", None)]);
    // A grant for some arguments adds nothing to it.
    assert!(!place.grant("fs:read", "d", Some("/o")).unwrap().changed);
    // Grants of the tool's earlier definition are different ones.
    place.grant("fs:read", "e", Some("/o")).unwrap();
    place.grant("fs:read", "d", None).unwrap();
    assert_eq!(place.grants().len(), 3, "{}", place.text());
}

#[test]
fn a_renewed_grant_keeps_what_is_written_around_it() {
    let text = "{ \"permissions\": { \"allow\": [\"fs:read\"], \"grants\": [\n  // notes\n  { \"tool\": \"fs:read\", /* was */ \"definition\": \"d\", \"server\": \"s\", \"package\": \"p\",\n    \"version\": 2, \"where\": { \"path\": { \"under\": \"/n\" } } }, // here\n] } }\n";
    let place = trusted(text);
    place.grant("fs:read", "e", Some("/n")).unwrap();
    let now = place.text();
    for part in ["// notes\n", "/* was */ \"definition\": \"e\"", "// here\n"] {
        assert!(now.contains(part), "{part:?}\n{now}");
    }
    assert_eq!(place.grants(), [grant("fs:read", "e", Some("/n"))]);
    let unknown = Grant { origin: None, ..grant("fs:read", "", Some("/n")) };
    place.settings().grant(std::slice::from_ref(&unknown)).unwrap();
    assert_eq!(place.grants(), [unknown]);
}

/// A file that an older pml wrote, with comments in all places.
const OLDER: &str = r#"{ "permissions": { "allow": ["fs:write"], "grants": [
  { "tool": "fs:write", "definition": "d", "server": "server", // first
    // my notes
    "where": { /* here */ "path": { "under": "/n" } /* only */ }, "granted": "2026-11-17T06:00:00Z" }, // one
  { "tool": "fs:write", "definition": "d", "server": "server",
    "where": { "path": { "under": "/m" } } }, // two
  { "tool": "git:log", "where": { "path": { "under": "/n" } } },
] } }
"#;

fn older(place: &ProjectFixture) -> Vec<String> {
    let grants = place.grants().into_iter().filter(Grant::is_older);
    grants.map(|grant| format!("{} {}", grant.tool, grant.constraints[0])).collect()
}

#[test]
fn what_takes_the_place_of_an_older_grant_stands_where_it_stood() {
    let place = trusted(OLDER);
    assert_eq!(older(&place).len(), 3);
    let mut renewed = grant("fs:write", "d", Some("/n"));
    renewed.replaces = renewed.constraints.clone();
    renewed.constraints.push(Constraint::new("content", Condition::Any));
    place.settings().grant(std::slice::from_ref(&renewed)).unwrap();
    let now = place.text();
    for part in [
        "// first\n    // my notes\n",
        "/* here */ \"path\": { \"under\": \"/n\" }",
        "/* only */",
        "// one\n",
        "// two\n",
        "\"version\": 2",
        "\"content\": {",
    ] {
        assert!(now.contains(part), "{part:?}\n{now}");
    }
    let written = Grant { replaces: Vec::new(), ..renewed.clone() };
    assert_eq!(place.grants()[0], written, "{now}");
    assert!(!now.contains("2026-11-17T06:00:00Z"), "{now}");
    assert_eq!(older(&place), ["fs:write `path` under `/m`", "git:log `path` under `/n`"]);
    // No grant is left to be replaced.
    assert!(!place.settings().grant(&[renewed]).unwrap().changed);
    // The new grant may be narrower or have another version, and still replaces it.
    let mut less = grant("fs:write", "e", Some("/m/deep"));
    less.replaces = vec![Constraint::new("path", Condition::Under("/m".into()))];
    place.settings().grant(std::slice::from_ref(&less)).unwrap();
    assert_eq!(older(&place), ["git:log `path` under `/n`"]);
    assert!(place.grants().contains(&Grant { replaces: Vec::new(), ..less }), "{}", place.text());
}

#[test]
fn an_older_grant_stays_until_it_is_answered_and_goes_with_one_for_all() {
    let place = trusted(OLDER);
    place.grant("fs:write", "d", Some("/o")).unwrap();
    assert_eq!(older(&place).len(), 3, "another folder is another question");
    // Equal conditions do not make it the same grant.
    place.grant("fs:write", "d", Some("/n")).unwrap();
    assert_eq!((older(&place).len(), place.grants().len()), (3, 5));
    place.grant("fs:write", "e", None).unwrap();
    assert_eq!(older(&place), ["git:log `path` under `/n`"]);
    let late = Grant { version: GrantVersion::Older, ..grant("fs:read", "d", Some("/n")) };
    assert!(place.settings().grant(&[late]).is_err());
}

#[test]
fn an_untrusted_file_is_left_alone() {
    let place = place();
    let text = r#"{ "permissions": { "allow": ["*"] } }"#;
    place.write(".pml.json", text);
    let error = place.grant("fs:read", "d", None).unwrap_err();
    assert_eq!(error.kind(), Code::Untrusted);
    assert!(error.to_string().contains("this folder is not trusted"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("`pml trust`")));
    assert_eq!((place.text().as_str(), place.project().trust), (text, TrustState::Unknown));
    // So is one that has changed since it was trusted.
    place.trusted();
    place.write(".pml.json", format!("{text} "));
    assert!(place.grant("fs:read", "d", None).is_err());
    assert_eq!(place.text(), format!("{text} "));
}

#[test]
fn trust_that_was_only_said_is_not_made_to_last() {
    let place = place();
    place.write(".mcp.json", r#"{ "mcpServers": { "fs": { "command": "fs" } } }"#);
    assert!(Project::load_trusted(&place.root, &place.environment).unwrap().trust.is_trusted());
    let error = place.grant("fs:read", "d", None).unwrap_err();
    assert_eq!(error.kind(), Code::Untrusted);
    assert!(!place.root.join(".pml.json").exists());
    assert_eq!(place.project().trust, TrustState::Unknown);
    // The counterpart: files that are trusted permanently.
    place.trusted();
    place.grant("fs:read", "d", None).unwrap();
    assert_eq!(place.grants().len(), 1);
}

#[test]
fn what_would_change_nothing_is_refused_and_said() {
    for (permissions, part, list) in [
        (json!({ "deny": ["fs:*"] }), "it is denied, by `fs:*`", "permissions.deny"),
        (json!({ "deny": ["fs:readFile"] }), "it is denied, by `fs:readFile`", "permissions.deny"),
        (
            json!({ "ask": ["fs:readFile"] }),
            "it would still be asked about, by `fs:readFile`",
            "permissions.ask",
        ),
    ] {
        let text = json!({ "permissions": permissions }).to_string();
        let place = trusted(&text);
        let error = place.grant("fs:read_file", "d", None).unwrap_err();
        assert!(error.to_string().ends_with(part), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains(list)), "{:?}", error.hint());
        // All or none are written.
        let two = [grant("git:log", "d", None), grant("fs:read_file", "d", None)];
        assert!(place.settings().grant(&two).is_err());
        assert_eq!(place.text(), text);
    }
    // The exact name wins over a wider pattern.
    let place = trusted(r#"{ "permissions": { "ask": ["fs:*", "fs:read_*", "*"] } }"#);
    place.grant("fs:read_file", "d", None).unwrap();
    assert_eq!(place.project().permissions.ask.len(), 3);
}

#[test]
fn what_the_file_cannot_say_is_refused() {
    let place = place();
    let under = |folder: &str| Constraint::new("path", Condition::Under(folder.into()));
    let twice =
        Grant { constraints: vec![under("/a"), under("/a/b")], ..grant("fs:read", "d", None) };
    for wrong in [grant("fs:re*", "d", None), grant("fs:read", "d", Some("../x")), twice] {
        assert!(place.settings().grant(&[wrong]).is_err());
    }
    assert!(!place.root.join(".pml.json").exists());
    assert!(!place.settings().grant(&[]).unwrap().changed);
    assert!(!place.root.join(".pml.json").exists());
    let same = Grant { constraints: vec![under("/a"), under("/a")], ..grant("fs:read", "d", None) };
    place.settings().grant(&[same]).unwrap();
}

#[test]
fn a_file_that_would_be_too_large_to_read_is_not_written() {
    let comment = "x".repeat((1 << 20) - 100);
    let text = format!("{{}} // {comment}");
    let place = trusted(&text);
    let error = place.grant("fs:read", "d", None).unwrap_err().to_string();
    assert!(error.contains("more than 1024 KiB"), "{error}");
    assert_eq!(place.text().len(), text.len());
}

#[test]
fn processes_that_grant_at_once_lose_nothing_and_nobody_sees_half_of_it() {
    let place = place();
    place.settings().create().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                for folder in ["/a", "/b"] {
                    place.grant(&format!("s{number}:x"), "d", Some(folder)).unwrap();
                    // Concurrent writes never make it look untrusted.
                    assert_eq!(place.project().trust, TrustState::Trusted);
                }
            });
        }
    });
    assert_eq!(place.grants().len(), 16);
    assert_eq!(place.project().permissions.allow.len(), 8);
    assert_eq!(fs::read_dir(&place.root).unwrap().count(), 2, "no leftovers");
}
