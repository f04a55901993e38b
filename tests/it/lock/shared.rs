//! What the tests of the lock share.

use pml::json::json;
use pml_kit::{TestEnv, toolbox_project};
use std::fs;

/// Counts, and returns the number.
pub(super) const COUNTING: &str = "return (await mcp.box.count()).n";

/// Makes a project whose tools are allowed.
pub(super) fn allowed_project(env: TestEnv) -> TestEnv {
    toolbox_project(env, &json!({ "allow": ["box:*"] }))
}

/// Returns the text of the lock, or nothing if there is none.
pub(super) fn lock_text(env: &TestEnv) -> String {
    fs::read_to_string(env.path().join(".pml/mcp.lock")).unwrap_or_default()
}

/// Returns the digest that the lock has for `box:count`.
pub(super) fn locked_count(env: &TestEnv) -> String {
    let text = lock_text(env);
    let line = text.lines().find(|line| line.starts_with("count = "));
    line.unwrap_or_else(|| panic!("`count` is not locked: {text}")).to_owned()
}
