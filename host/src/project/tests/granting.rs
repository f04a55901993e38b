//! Tests how permanent grants are written: what stays unchanged, what is replaced, and what is
//! refused.

use super::{ProjectFixture, project_fixture as fixture_with};
use crate::error::Error;
use crate::model::{Code, Condition, Constraint, Grant, GrantVersion, ToolOrigin};
use crate::project::{EditOutcome, Project, TrustState};
use serde_json::json;
use std::fs;

fn project_fixture() -> ProjectFixture {
    fixture_with(&[])
}

/// Makes a trusted project whose settings are `text`.
fn trusted(text: &str) -> ProjectFixture {
    let fixture = project_fixture();
    fixture.write(".pml.json", text);
    fixture.trusted();
    fixture
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
    let fixture = project_fixture();
    let edited = fixture.grant("fs:read", "d", Some("/n")).unwrap();
    assert_eq!(edited, EditOutcome { changed: true, trusted: true });
    assert_eq!(fixture.grants(), [grant("fs:read", "d", Some("/n"))]);
    let project = fixture.project();
    assert!(project.permissions.grants[0].granted.is_some());
    let texts = |patterns: &[crate::model::ToolPattern]| {
        patterns.iter().map(|pattern| pattern.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&project.permissions.allow), ["fs:read"]);
    assert_eq!(texts(&project.permissions.ask), ["*"]);
    assert!(fixture.text().starts_with("{\n  \"version\": \"0.1.0\",\n"), "{}", fixture.text());
}

#[test]
fn the_users_lines_stay_as_they_are() {
    let text = "// mine\n{\n    \"permissions\": {\n        // what I trust\n        \"allow\": [\"git:log\"], // more to come\n        \"ask\": [\n            \"*\", // everything else\n            // dangerous\n            \"fs:read\" // for now\n        ]\n    },\n    \"limits\": { \"calls\": 7 } /* few */\n}\n";
    let fixture = trusted(text);
    fixture.grant("fs:read", "d", Some("/n")).unwrap();
    let now = fixture.text();
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
    assert_eq!(fixture.grants(), [grant("fs:read", "d", Some("/n"))]);
}

#[test]
fn nothing_stands_twice() {
    let fixture = project_fixture();
    assert!(fixture.grant("fs:read", "d", Some("/n")).unwrap().changed);
    let text = fixture.text();
    assert!(!fixture.grant("fs:read", "d", Some("/n")).unwrap().changed);
    assert_eq!(fixture.text(), text);
    // The same for a tool that has changed: the new origin replaces the old one.
    assert!(fixture.grant("fs:read", "e", Some("/n")).unwrap().changed);
    assert_eq!(fixture.grants(), [grant("fs:read", "e", Some("/n"))]);
    // Other arguments need another grant.
    fixture.grant("fs:read", "e", Some("/m")).unwrap();
    assert_eq!(fixture.grants().len(), 2);
    assert_eq!(fixture.text().matches("\"allow\": [\"fs:read\"]").count(), 1, "{}", fixture.text());
}

#[test]
fn a_grant_for_all_arguments_replaces_those_for_some() {
    let fixture = project_fixture();
    fixture.grant("fs:read", "d", Some("/n")).unwrap();
    fixture.grant("fs:read", "d", Some("/m")).unwrap();
    fixture.grant("fs:write", "d", Some("/n")).unwrap();
    fixture.grant("fs:read", "d", None).unwrap();
    assert_eq!(fixture.grants(), [grant("fs:write", "d", Some("/n")), grant("fs:read", "d", None)]);
    // A grant for some arguments adds nothing to it.
    assert!(!fixture.grant("fs:read", "d", Some("/o")).unwrap().changed);
    // Grants of the tool's earlier definition are different ones.
    fixture.grant("fs:read", "e", Some("/o")).unwrap();
    fixture.grant("fs:read", "d", None).unwrap();
    assert_eq!(fixture.grants().len(), 3, "{}", fixture.text());
}

#[test]
fn a_renewed_grant_keeps_what_is_written_around_it() {
    let text = "{ \"permissions\": { \"allow\": [\"fs:read\"], \"grants\": [\n  // notes\n  { \"tool\": \"fs:read\", /* was */ \"definition\": \"d\", \"server\": \"s\", \"package\": \"p\",\n    \"version\": 2, \"where\": { \"path\": { \"under\": \"/n\" } } }, // here\n] } }\n";
    let fixture = trusted(text);
    fixture.grant("fs:read", "e", Some("/n")).unwrap();
    let now = fixture.text();
    for part in ["// notes\n", "/* was */ \"definition\": \"e\"", "// here\n"] {
        assert!(now.contains(part), "{part:?}\n{now}");
    }
    assert_eq!(fixture.grants(), [grant("fs:read", "e", Some("/n"))]);
    let unknown = Grant { origin: None, ..grant("fs:read", "", Some("/n")) };
    fixture.settings().grant(std::slice::from_ref(&unknown)).unwrap();
    assert_eq!(fixture.grants(), [unknown]);
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

fn older(fixture: &ProjectFixture) -> Vec<String> {
    let grants = fixture.grants().into_iter().filter(Grant::has_older_conditions);
    grants.map(|grant| format!("{} {}", grant.tool, grant.constraints[0])).collect()
}

#[test]
fn what_takes_the_place_of_an_older_grant_stands_where_it_stood() {
    let fixture = trusted(OLDER);
    assert_eq!(older(&fixture).len(), 3);
    let mut renewed = grant("fs:write", "d", Some("/n"));
    renewed.replaces = renewed.constraints.clone();
    renewed.constraints.push(Constraint::new("content", Condition::Any));
    fixture.settings().grant(std::slice::from_ref(&renewed)).unwrap();
    let now = fixture.text();
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
    assert_eq!(fixture.grants()[0], written, "{now}");
    assert!(!now.contains("2026-11-17T06:00:00Z"), "{now}");
    assert_eq!(older(&fixture), ["fs:write `path` under `/m`", "git:log `path` under `/n`"]);
    // No grant is left to be replaced.
    assert!(!fixture.settings().grant(&[renewed]).unwrap().changed);
    // The new grant may be narrower or have another version, and still replaces it.
    let mut less = grant("fs:write", "e", Some("/m/deep"));
    less.replaces = vec![Constraint::new("path", Condition::Under("/m".into()))];
    fixture.settings().grant(std::slice::from_ref(&less)).unwrap();
    assert_eq!(older(&fixture), ["git:log `path` under `/n`"]);
    assert!(
        fixture.grants().contains(&Grant { replaces: Vec::new(), ..less }),
        "{}",
        fixture.text()
    );
}

#[test]
fn an_older_grant_stays_until_it_is_answered_and_goes_with_one_for_all() {
    let fixture = trusted(OLDER);
    fixture.grant("fs:write", "d", Some("/o")).unwrap();
    assert_eq!(older(&fixture).len(), 3, "another folder is another question");
    // Equal conditions do not make it the same grant.
    fixture.grant("fs:write", "d", Some("/n")).unwrap();
    assert_eq!((older(&fixture).len(), fixture.grants().len()), (3, 5));
    fixture.grant("fs:write", "e", None).unwrap();
    assert_eq!(older(&fixture), ["git:log `path` under `/n`"]);
    let late = Grant { version: GrantVersion::Older, ..grant("fs:read", "d", Some("/n")) };
    assert!(fixture.settings().grant(&[late]).is_err());
}

#[test]
fn an_untrusted_file_is_left_alone() {
    let fixture = project_fixture();
    let text = r#"{ "permissions": { "allow": ["*"] } }"#;
    fixture.write(".pml.json", text);
    let error = fixture.grant("fs:read", "d", None).unwrap_err();
    assert_eq!(error.kind(), Code::Untrusted);
    assert!(error.to_string().contains("this folder is not trusted"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("`pml trust`")));
    assert_eq!((fixture.text().as_str(), fixture.project().trust), (text, TrustState::Unknown));
    // So is one that has changed since it was trusted.
    fixture.trusted();
    fixture.write(".pml.json", format!("{text} "));
    assert!(fixture.grant("fs:read", "d", None).is_err());
    assert_eq!(fixture.text(), format!("{text} "));
}

#[test]
fn trust_that_was_only_said_is_not_made_to_last() {
    let fixture = project_fixture();
    fixture.write(".mcp.json", r#"{ "mcpServers": { "fs": { "command": "fs" } } }"#);
    assert!(Project::load_trusted(&fixture.root, &fixture.environment).unwrap().trust.is_trusted());
    let error = fixture.grant("fs:read", "d", None).unwrap_err();
    assert_eq!(error.kind(), Code::Untrusted);
    assert!(!fixture.root.join(".pml.json").exists());
    assert_eq!(fixture.project().trust, TrustState::Unknown);
    // The counterpart: files that are trusted permanently.
    fixture.trusted();
    fixture.grant("fs:read", "d", None).unwrap();
    assert_eq!(fixture.grants().len(), 1);
}

#[test]
fn what_would_change_nothing_is_refused_and_said() {
    for (permissions, part, list) in [
        (json!({ "deny": ["fs:*"] }), "it is denied by `fs:*`", "permissions.deny"),
        (json!({ "deny": ["fs:readFile"] }), "it is denied by `fs:readFile`", "permissions.deny"),
        (
            json!({ "ask": ["fs:readFile"] }),
            "it would still be asked about, because it is covered by `fs:readFile`",
            "permissions.ask",
        ),
    ] {
        let text = json!({ "permissions": permissions }).to_string();
        let fixture = trusted(&text);
        let error = fixture.grant("fs:read_file", "d", None).unwrap_err();
        assert!(error.to_string().ends_with(part), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains(list)), "{:?}", error.hint());
        // All or none are written.
        let two = [grant("git:log", "d", None), grant("fs:read_file", "d", None)];
        assert!(fixture.settings().grant(&two).is_err());
        assert_eq!(fixture.text(), text);
    }
    // The exact name wins over a wider pattern.
    let fixture = trusted(r#"{ "permissions": { "ask": ["fs:*", "fs:read_*", "*"] } }"#);
    fixture.grant("fs:read_file", "d", None).unwrap();
    assert_eq!(fixture.project().permissions.ask.len(), 3);
}

#[test]
fn what_the_file_cannot_say_is_refused() {
    let fixture = project_fixture();
    let under = |folder: &str| Constraint::new("path", Condition::Under(folder.into()));
    let twice =
        Grant { constraints: vec![under("/a"), under("/a/b")], ..grant("fs:read", "d", None) };
    for wrong in [grant("fs:re*", "d", None), grant("fs:read", "d", Some("../x")), twice] {
        assert!(fixture.settings().grant(&[wrong]).is_err());
    }
    assert!(!fixture.root.join(".pml.json").exists());
    assert!(!fixture.settings().grant(&[]).unwrap().changed);
    assert!(!fixture.root.join(".pml.json").exists());
    let same = Grant { constraints: vec![under("/a"), under("/a")], ..grant("fs:read", "d", None) };
    fixture.settings().grant(&[same]).unwrap();
}

#[test]
fn a_file_that_would_be_too_large_to_read_is_not_written() {
    let comment = "x".repeat((1 << 20) - 100);
    let text = format!("{{}} // {comment}");
    let fixture = trusted(&text);
    let error = fixture.grant("fs:read", "d", None).unwrap_err().to_string();
    assert!(error.contains("larger than 1024 KiB"), "{error}");
    assert_eq!(fixture.text().len(), text.len());
}

#[test]
fn processes_that_grant_at_once_lose_nothing_and_nobody_sees_half_of_it() {
    let fixture = project_fixture();
    fixture.settings().create().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || {
                for folder in ["/a", "/b"] {
                    fixture.grant(&format!("s{number}:x"), "d", Some(folder)).unwrap();
                    // Concurrent writes never make it look untrusted.
                    assert_eq!(fixture.project().trust, TrustState::Trusted);
                }
            });
        }
    });
    assert_eq!(fixture.grants().len(), 16);
    assert_eq!(fixture.project().permissions.allow.len(), 8);
    assert_eq!(fs::read_dir(&fixture.root).unwrap().count(), 2, "no leftovers");
}
