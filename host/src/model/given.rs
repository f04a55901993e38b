//! A variable or header that something is given, as a person may see it.

use super::redact;
use serde_json::{Value, json};

/// Words that stand before a key and tell nothing of it.
const SCHEMES: &[&str] = &["", "Bearer", "Basic", "Token", "token"];

/// Returns the value of a variable or header as it is written in a file, without keys. A name in `${…}` is not a key: it says
/// which one is handed over, and that is what somebody decides about.
pub(crate) fn shown_given(name: &str, value: &str) -> String {
    let mut rest = value;
    let mut written = String::new();
    while let Some((before, after)) = rest.split_once("${")
        && let Some((_, behind)) = after.split_once('}')
    {
        written += before;
        rest = behind;
    }
    written += rest;
    if value.contains("${") && SCHEMES.contains(&written.trim()) {
        return value.to_owned();
    }
    match redact(&json!({ name: value })).get(name) {
        Some(Value::String(shown)) => shown.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_given;

    #[test]
    fn the_name_of_a_key_is_shown_and_a_key_is_not() {
        assert_eq!(shown_given("API_KEY", "${AWS_SECRET_ACCESS_KEY}"), "${AWS_SECRET_ACCESS_KEY}");
        assert_eq!(shown_given("Authorization", "Bearer ${TOKEN}"), "Bearer ${TOKEN}");
        assert_eq!(shown_given("NODE_OPTIONS", "--require ./evil.js"), "--require ./evil.js");
        assert_eq!(shown_given("API_KEY", "hunter2"), "[redacted]");
        assert_eq!(shown_given("API_KEY", "hunter2${X}"), "[redacted]");
    }
}
