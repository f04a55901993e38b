//! Tests what edits leave unchanged, and what they make trusted.

use super::{ProjectFixture, project_fixture as fixture_with};
use crate::error::Error;
use crate::project::{EditOutcome, OverwriteMode, ReviewedBy, SettingsFile, TrustState};
use serde_json::{Value, json};
use std::fs;

fn project_fixture() -> ProjectFixture {
    fixture_with(&[])
}

impl ProjectFixture {
    pub(super) fn settings(&self) -> SettingsFile {
        SettingsFile::of(&self.root, &self.environment).unwrap()
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(self.root.join(".pml.json")).unwrap()
    }

    fn add(&self, name: &str, entry: Value) -> Result<EditOutcome, Error> {
        self.settings().add_servers(
            &[(name.into(), entry)],
            OverwriteMode::Refuse,
            ReviewedBy::User,
        )
    }
}

#[test]
fn a_new_file_asks_about_everything_and_is_trusted() {
    let fixture = project_fixture();
    let edited = fixture.settings().create().unwrap();
    assert_eq!(edited, EditOutcome { changed: true, trusted: true });
    let parsed: Value = serde_json::from_str(&fixture.text()).unwrap();
    let expected =
        json!({ "version": "0.1.0", "permissions": { "allow": [], "deny": [], "ask": ["*"] } });
    assert_eq!(parsed, expected);
    assert_eq!(fixture.project().trust, TrustState::Trusted);
    assert!(!fixture.settings().create().unwrap().changed);
}

#[test]
fn comments_and_spacing_survive() {
    let fixture = project_fixture();
    let text = "// mine\n{\n    /* why */ \"servers\": {\n        \"a\": { \"command\": \"a\" }, // first\n    },\n    \"permissions\": { \"allow\": [\"x:y\"] }\n}\n";
    fixture.write(".pml.json", text);
    fixture.add("b", json!({ "command": "b", "args": ["1", "two words"] })).unwrap();
    let added = fixture.text();
    for part in ["// mine\n{", "/* why */", "{ \"command\": \"a\" }", "// first", "[\"x:y\"]"] {
        assert!(added.contains(part), "{part}: {added}");
    }
    let names: Vec<_> =
        fixture.project().declared.servers.iter().map(|it| it.launch.clone()).collect();
    assert_eq!(names, ["a", "b 1 'two words'"]);
    fixture.settings().remove_server("b").unwrap();
    assert_eq!(fixture.project().declared.servers.len(), 1);
    assert!(fixture.text().contains("// first"), "{}", fixture.text());
}

#[test]
fn a_pattern_is_allowed_once() {
    let fixture = project_fixture();
    let pattern = "a:b".parse().unwrap();
    assert!(fixture.settings().allow(&pattern).unwrap().changed);
    assert!(!fixture.settings().allow(&pattern).unwrap().changed);
    assert_eq!(fixture.project().permissions.allow, [pattern]);
    assert_eq!(fixture.text().matches("a:b").count(), 1);
}

#[test]
fn a_file_that_was_not_trusted_stays_so() {
    let fixture = project_fixture();
    fixture.write(".pml.json", r#"{ "permissions": { "allow": ["*"] } }"#);
    let edited = fixture.settings().allow(&"a:b".parse().unwrap()).unwrap();
    assert_eq!(edited, EditOutcome { changed: true, trusted: false });
    assert_eq!(fixture.project().trust, TrustState::Unknown);
    fixture.project().grant_trust(&fixture.environment).unwrap();
    assert!(fixture.add("a", json!({ "command": "a" })).unwrap().trusted);
    assert_eq!(fixture.project().trust, TrustState::Trusted);
}

#[test]
fn writing_our_own_file_does_not_make_another_one_trusted() {
    let fixture = project_fixture();
    fixture.write(".mcp.json", r#"{ "mcpServers": { "evil": { "command": "evil" } } }"#);
    assert!(fixture.add("a", json!({ "command": "a" })).unwrap().trusted);
    let project = fixture.project();
    assert_eq!(
        project.trust,
        TrustState::Changed { files: Vec::new(), new: vec![".mcp.json".into()] }
    );
    assert!(project.servers.is_empty());
}

#[test]
fn what_nobody_has_seen_is_written_and_not_trusted() {
    let fixture = project_fixture();
    fixture.settings().create().unwrap();
    let evil = [("evil".to_owned(), json!({ "command": "evil" }))];
    let edited =
        fixture.settings().add_servers(&evil, OverwriteMode::Refuse, ReviewedBy::Nobody).unwrap();
    assert_eq!(edited, EditOutcome { changed: true, trusted: false });
    assert!(!fixture.project().trust.is_trusted());
}

#[test]
fn what_we_would_not_understand_is_not_written() {
    let fixture = project_fixture();
    for (name, entry) in [
        ("pml", json!({ "command": "x" })),
        ("a b", json!({ "command": "x" })),
        ("a", json!({ "comand": "x" })),
        ("a", json!({ "command": "${" })),
    ] {
        assert!(fixture.add(name, entry).is_err(), "{name}");
    }
    assert!(!fixture.root.join(".pml.json").exists());
    fixture.write(".pml.json", "{ broken");
    assert!(fixture.add("a", json!({ "command": "x" })).is_err());
    assert_eq!(fixture.text(), "{ broken");
}

#[test]
fn a_server_is_replaced_only_when_told() {
    let fixture = project_fixture();
    fixture.add("github", json!({ "command": "one" })).unwrap();
    let error = fixture.add("github", json!({ "command": "two" })).unwrap_err();
    assert!(error.to_string().contains("`.pml.json` already has a server `github`"), "{error}");
    let two = [("github".to_owned(), json!({ "command": "two" }))];
    fixture.settings().add_servers(&two, OverwriteMode::Replace, ReviewedBy::User).unwrap();
    assert_eq!(fixture.project().declared.servers[0].launch, "two");
    let error = fixture.settings().remove_server("gihub").unwrap_err();
    assert_eq!(error.hint(), Some("did you mean `github`?"));
}

#[test]
fn edits_at_once_lose_nothing() {
    let fixture = project_fixture();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || {
                fixture.add(&format!("s{number}"), json!({ "command": "x" })).unwrap()
            });
        }
    });
    let project = fixture.project();
    assert_eq!((project.servers.len(), project.trust), (8, TrustState::Trusted));
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_is_kept_and_a_new_one_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = project_fixture();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let path = fixture.root.join(".pml.json");
    fixture.settings().create().unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fixture.add("a", json!({ "command": "a" })).unwrap();
    assert_eq!(mode(&path), 0o644);
    assert_eq!(fs::read_dir(&fixture.root).unwrap().count(), 2);
}
