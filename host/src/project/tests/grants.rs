//! Tests how `permissions.grants` is interpreted, and what is refused.

use super::project_fixture;
use crate::model::{Condition, Constraint, Grant, GrantVersion, ToolOrigin};
use serde_json::json;

const GRANTS: &str = r#"{
  "permissions": {
    "allow": ["fs:read"],
    "grants": [
      // Notes only.
      { "tool": "fs:read", "definition": "d1", "server": "s1", "package": "p1", "version": 2,
        "where": { "path": { "under": "/home/ann/notes" }, "owner": { "equals": "acme" }, "/x/y": { "any": true } },
        "granted": "2026-11-17T06:00:00Z", },
      { "tool": "git:log" },
    ],
  },
}"#;

#[test]
fn a_trusted_file_gives_its_grants() {
    let fixture = project_fixture(&[]);
    fixture.write(".pml.json", GRANTS);
    let grants = fixture.trusted().permissions.grants;
    let origin = ToolOrigin::new("d1", "s1").with_package(Some("p1".into()));
    let within = vec![
        Constraint::new("path", Condition::Under("/home/ann/notes".into())),
        Constraint::new("owner", Condition::Equals(json!("acme"))),
        Constraint::new("/x/y", Condition::Any),
    ];
    let mut first = Grant::new("fs:read".parse().unwrap(), Some(origin), within);
    first.granted = Some("2026-11-17T06:00:00Z".parse().unwrap());
    assert_eq!(grants, [first, Grant::new("git:log".parse().unwrap(), None, Vec::new())]);
}

#[test]
fn conditions_without_a_mark_are_an_older_pmls_and_still_open() {
    let fixture = project_fixture(&[]);
    let grant = |more: &str| {
        format!(
            r#"{{ "permissions": {{ "allow": ["fs:read"], "grants": [{{ "tool": "fs:read"{more} }}] }} }}"#
        )
    };
    for where_ in [
        r#"{ "path": { "under": "/n" } }"#,
        // Conditions that were valid then, and that no call could satisfy now.
        r#"{ "path": { "under": "~/notes" }, "/etc": { "equals": 1 } }"#,
        r#"{ "url": { "host": "a.example" } }"#,
    ] {
        fixture.write(".pml.json", grant(&format!(", \"where\": {where_}")));
        let grants = fixture.trusted().permissions.grants;
        assert!(
            grants[0].has_older_conditions() && grants[0].version == GrantVersion::Older,
            "{where_}"
        );
    }
    fixture.write(".pml.json", grant(""));
    assert!(!fixture.trusted().permissions.grants[0].has_older_conditions());
}

#[test]
fn an_untrusted_file_gives_none_and_they_are_shown() {
    let fixture = project_fixture(&[]);
    fixture.write(".pml.json", GRANTS);
    let project = fixture.project();
    assert!(project.permissions.grants.is_empty());
    assert_eq!(project.declared.grants.len(), 2);
}

#[test]
fn what_is_wrong_is_shown_where_it_stands() {
    let refusal = |grant: &str| {
        let fixture = project_fixture(&[]);
        fixture
            .write(".pml.json", format!("{{ \"permissions\": {{ \"grants\": [\n{grant}\n] }} }}"));
        let error = fixture.load().expect_err(grant);
        format!("{error}\nhint: {}", error.hint().unwrap_or_default())
    };
    for (grant, part) in [
        ("1", "a grant must be an object, not a number: $P:2:1"),
        ("{}", "a grant has no `tool`: $P:2:1"),
        (r#"{ "tool": "fs" }"#, "`fs`, which is not the name of one tool: $P:2:11"),
        (r#"{ "tool": "fs:*" }"#, "hint: write it as `server:tool`"),
        (r#"{ "tool": "a:b", "tol": "x" }"#, "hint: did you mean `tool`?"),
        (r#"{ "tool": "a:b", "tool": "c:d" }"#, "a grant has the key `tool` twice"),
        (
            r#"{ "tool": "a:b", "server": "s" }"#,
            "must have both `definition` and `server`, or neither",
        ),
        (
            r#"{ "tool": "a:b", "definition": "\u202e", "server": "s" }"#,
            "a grant has a text here that is not a digest: $P:2:32",
        ),
        (r#"{ "tool": "a:b", "where": [] }"#, "`where` of a grant must be an object"),
        (r#"{ "tool": "a:b", "where": {} }"#, "`where` of a grant has no condition: $P:2:27"),
        (
            r#"{ "tool": "a:b", "version": 2, "where": { "p": { "under": "../x" } } }"#,
            "the condition on `p` must name a folder without `..`: $P:2:43",
        ),
        (
            r#"{ "tool": "a:b", "version": 2, "where": { "/a~b": { "any": true } } }"#,
            "does not name an argument",
        ),
        (
            r#"{ "tool": "a:b", "version": 3, "where": { "p": { "any": true } } }"#,
            "`version` of a grant can only be 2: $P:2:29",
        ),
        (r#"{ "tool": "a:b", "where": { "p": { "any": false } } }"#, "can only be `true`"),
        (
            r#"{ "tool": "a:b", "where": { "p": { "any": true, "under": "/x" } } }"#,
            "the condition on `p` has `any` beside another key",
        ),
        (r#"{ "tool": "a:b", "where": { "p": { "hots": "x" } } }"#, "hint: did you mean `host`?"),
        (
            r#"{ "tool": "a:b", "version": 2, "where": { "p": { "host": "a@b" } } }"#,
            "must name a host, as in `host.example`",
        ),
        (r#"{ "tool": "a:b", "where": { "p": {} } }"#, "the condition on `p` is empty"),
        (r#"{ "tool": "a:b", "granted": "x" }"#, "`x`: a time is written"),
    ] {
        let shown = refusal(grant);
        let parts: Vec<_> = part.split("$P").collect();
        assert!(parts.iter().all(|part| shown.contains(part)), "{grant}: {shown}");
    }
}
