//! Tests the settings of an engine that is configured for a project.

use super::{ProjectFixture, project_fixture};
use crate::config::{Config, EngineSettings};
use crate::model::{Durability, Grant, Limits};
use crate::project::{GrantStorage, Project};
use std::time::Duration;

const SETTINGS: &str = r#"{
  "permissions": {
    "allow": ["fs:read", "git:*"],
    "ask": ["git:push"],
    "deny": ["fs:remove"],
    "grants": [{ "tool": "fs:read" }],
  },
  "limits": { "calls": 7 },
  "approvals": { "timeout": "2m", "modelMayApprove": true },
  "durability": "power",
}"#;

fn fixture() -> ProjectFixture {
    let fixture = project_fixture(&[]);
    fixture.write(".pml.json", SETTINGS);
    fixture
}

fn settings(project: &Project, storage: GrantStorage) -> EngineSettings {
    let mut config = Config::new();
    project.configure(&mut config, storage);
    EngineSettings::try_from(&config).expect("valid settings")
}

fn patterns(patterns: &[crate::model::ToolPattern]) -> Vec<String> {
    patterns.iter().cloned().map(String::from).collect()
}

#[test]
fn a_trusted_project_gives_an_engine_all_that_it_says() {
    let project = fixture().trusted();
    let settings = settings(&project, GrantStorage::Project);
    assert_eq!(patterns(&settings.allow), ["fs:read", "git:*"]);
    assert_eq!(patterns(&settings.ask), ["git:push"]);
    assert_eq!(patterns(&settings.deny), ["fs:remove"]);
    assert_eq!(settings.grants, [Grant::new("fs:read".parse().unwrap(), None, Vec::new())]);
    assert!(settings.ask_unnamed);
    assert_eq!(settings.limits, Limits { calls: 7, ..Limits::default() });
    assert_eq!(settings.question_lifetime, Some(Duration::from_secs(120)));
    // Settings that do not belong to an engine stay with the project.
    assert_eq!(project.durability, Durability::Power);
    assert!(project.approvals.model_may_approve);
}

#[test]
fn a_project_that_is_not_trusted_gives_only_what_restricts() {
    let settings = settings(&fixture().project(), GrantStorage::Project);
    assert!(settings.allow.is_empty() && settings.grants.is_empty());
    assert_eq!(patterns(&settings.ask), ["git:push"]);
    assert_eq!(patterns(&settings.deny), ["fs:remove"]);
    assert_eq!(settings.limits, Limits::default());
    assert_eq!(settings.question_lifetime, Some(Config::QUESTION_LIFETIME));
}

#[test]
fn what_was_set_before_is_added_to_and_what_is_set_after_counts() {
    let project = fixture().trusted();
    let mut config = Config::new();
    config.deny_tool("git:*").calls(1);
    project.configure(&mut config, GrantStorage::Run).question_lifetime(None).memory_limit(8 << 20);
    let settings = EngineSettings::try_from(&config).expect("valid settings");
    assert_eq!(patterns(&settings.deny), ["git:*", "fs:remove"]);
    assert_eq!((settings.limits.calls, settings.limits.memory), (7, 8 << 20));
    assert_eq!(settings.question_lifetime, None);
}

#[test]
fn an_answer_of_always_is_written_into_the_project_if_that_is_asked_for() {
    let fixture = fixture();
    let project = fixture.trusted();
    assert!(settings(&project, GrantStorage::Run).grant_writer.is_none());
    let writer = settings(&project, GrantStorage::Project).grant_writer.expect("a writer");
    let grant = Grant::new("git:push".parse().unwrap(), None, Vec::new());
    let file = writer.write_grants(std::slice::from_ref(&grant)).expect("written");
    assert!(file.ends_with(".pml.json"), "{file}");
    assert!(fixture.project().permissions.grants.iter().any(|kept| kept.tool == grant.tool));
}

#[test]
fn the_writer_refuses_a_project_that_is_not_trusted() {
    let writer =
        settings(&fixture().project(), GrantStorage::Project).grant_writer.expect("a writer");
    let grant = Grant::new("git:push".parse().unwrap(), None, Vec::new());
    assert!(writer.write_grants(&[grant]).is_err());
}

#[test]
fn the_users_own_settings_decide_about_no_call() {
    let fixture = fixture();
    let before = fixture.trusted();
    fixture.write_home(".config/pml/config.json", r#"{ "agents": { "mayWiden": true } }"#);
    let after = fixture.project();
    assert!(before.has_same_rules(&after) && after.trust.is_trusted());
}

#[test]
fn a_comment_changes_neither_rules_nor_servers_and_a_pattern_changes_the_rules() {
    let fixture = fixture();
    let before = fixture.trusted();
    fixture.write(".pml.json", format!("// mine\n{SETTINGS}"));
    let after = fixture.trusted();
    assert!(before.has_same_rules(&after) && before.has_same_servers(&after));
    fixture.write(".pml.json", SETTINGS.replace("git:push", "git:pull"));
    let after = fixture.trusted();
    assert!(!before.has_same_rules(&after) && before.has_same_servers(&after));
}
