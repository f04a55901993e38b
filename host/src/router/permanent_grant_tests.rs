//! Permanent grants, from the answer to the next call: for all grants in any order, the file stays
//! readable and the granted call is sent.

use super::{ArgumentsRef, Policy, PolicySubject, PolicyVerdict};
use crate::model::{Condition, Constraint, Grant, LexicalPaths, ToolName, ToolOrigin, ToolPattern};
use crate::{
    config::{Config, Environment},
    project::{Project, SettingsFile},
};
use serde_json::{Value, json};
use std::path::Path;

/// A random number generator with a fixed seed.
struct SeededNumbers(u64);

impl SeededNumbers {
    fn next(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.next(all.len())]
    }
}

/// Settings files as people write them.
const FILES: &[&str] = &[
    "{}",
    "{ \"permissions\": {} }",
    "{\n  // none yet\n  \"permissions\": { \"ask\": [\"*\"], \"allow\": [ /* nothing */ ] },\n}\n",
    "{\n\t\"permissions\": {\n\t\t\"ask\": [\n\t\t\t\"a:x\", // careful\n\t\t\t\"a:y\",\n\t\t\t\"*\" // the rest\n\t\t],\n\t\t\"allow\": [\n\t\t\t\"b:*\",\n\t\t],\n\t}\n}\n",
    "{ \"permissions\": { \"allow\": [\"a:*\"], \"ask\": [\"a:*\", \"a:x\", \"a:x\"], \"grants\": [] } } // one line",
    "{\r\n  \"permissions\": {\r\n    \"allow\": [\"a:x\"],\r\n    \"grants\": [\r\n      { \"tool\": \"a:x\", \"where\": { \"path\": { \"under\": \"/f/1\" } } } // first\r\n    ]\r\n  }\r\n}\r\n",
];

fn policy(root: &Path, environment: &Environment) -> Policy {
    let project = Project::load_with_environment(root, environment).expect("it is understood");
    assert!(project.trust.is_trusted());
    let mut config = Config::new();
    config.ask_unnamed();
    let permissions = &project.permissions;
    let text = |pattern: &ToolPattern| pattern.as_str().to_owned();
    permissions.allow.iter().for_each(|pattern| drop(config.allow_tool(text(pattern)).clone()));
    permissions.ask.iter().for_each(|pattern| drop(config.ask_tool(text(pattern)).clone()));
    permissions.deny.iter().for_each(|pattern| drop(config.deny_tool(text(pattern)).clone()));
    permissions.grants.iter().for_each(|grant| drop(config.grant(grant.clone()).clone()));
    Policy::new(&config).expect("patterns")
}

fn goes(policy: &Policy, tool: &ToolName, origin: Option<&ToolOrigin>, arguments: &Value) -> bool {
    let subject = PolicySubject { tool, origin, arguments: ArgumentsRef::Value(arguments) };
    matches!(policy.verdict(subject, &LexicalPaths), PolicyVerdict::Go)
}

#[test]
fn whatever_is_granted_goes_afterwards_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().canonicalize().expect("a folder");
    let environment: Environment =
        [("HOME", home.to_str().expect("Unicode"))].into_iter().collect();
    let mut numbers = SeededNumbers(42);
    for round in 0..21 {
        let root = home.join(format!("p{round}"));
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        if let Some(text) = FILES.get(round % (FILES.len() + 1)) {
            std::fs::write(root.join(".pml.json"), text).expect("written");
            let project =
                Project::load_with_environment(&root, &environment).expect("it is understood");
            project.grant_trust(&environment).expect("trusted");
        }
        let settings = SettingsFile::of(&root, &environment).expect("settings");
        for _ in 0..5 {
            let tool: ToolName =
                numbers.one_of(&["a:x", "a:y", "b:z", "c-d:e_f"]).parse().expect("a tool");
            let origin = [
                None,
                Some(ToolOrigin::new("d1", "s")),
                Some(ToolOrigin::new("d2", "s").with_package(Some("p".into()))),
            ];
            let origin = origin[numbers.next(3)].clone();
            let path = format!("/f/{}", numbers.next(3));
            let constraints = match numbers.next(3) {
                0 => Vec::new(),
                1 => vec![
                    Constraint::new("path", Condition::Under(path.clone())),
                    Constraint::new("odd \"name\"", Condition::Any),
                ],
                _ => vec![
                    Constraint::new("path", Condition::Under(path.clone())),
                    Constraint::new(
                        "odd \"name\"",
                        Condition::Equals(json!({ "a": [1.5, null, "\n"] })),
                    ),
                ],
            };
            let grant = Grant::new(tool.clone(), origin.clone(), constraints);
            settings.grant(std::slice::from_ref(&grant)).expect("it is written");
            let policy = policy(&root, &environment);
            let arguments = json!({ "path": path, "odd \"name\"": { "a": [1.5, null, "\n"] } });
            let text = || std::fs::read_to_string(root.join(".pml.json")).unwrap_or_default();
            assert!(goes(&policy, &tool, origin.as_ref(), &arguments), "{grant}\n{}", text());
            // An argument that no condition names is asked about, unless all arguments are allowed.
            let mut more = arguments.clone();
            more["more"] = Value::Null;
            let project =
                Project::load_with_environment(&root, &environment).expect("it is understood");
            let plain = |grant: &Grant| grant.tool == tool && grant.constraints.is_empty();
            let plain = project.permissions.grants.iter().any(plain);
            assert!(plain || !goes(&policy, &tool, origin.as_ref(), &more), "{}", text());
            // A tool whose definition differs from the granted one is never sent, nor is one that
            // was not allowed.
            let origins = |grant: &Grant| grant.tool == tool && grant.origin.is_none();
            let changed = ToolOrigin::new("d3", "s");
            let free = project.permissions.grants.iter().any(origins);
            let elsewhere = json!({ "path": "/elsewhere" });
            assert!(free || !goes(&policy, &tool, Some(&changed), &elsewhere), "{}", text());
            assert!(!goes(&policy, &"z:z".parse().expect("a tool"), None, &arguments));
            // Granting it again changes nothing.
            let again = settings.grant(std::slice::from_ref(&grant)).expect("it is understood");
            assert!(!again.changed, "{grant}\n{}", text());
        }
        let text = std::fs::read_to_string(root.join(".pml.json")).expect("it is there");
        let original = FILES.get(round % (FILES.len() + 1)).copied().unwrap_or_default();
        for comment in ["// none yet", "/* nothing */", "// careful", "// the rest", "// one line"]
        {
            assert!(!original.contains(comment) || text.contains(comment), "{comment}\n{text}");
        }
    }
}
