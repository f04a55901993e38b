//! The walk over a JSON value.

use super::REDACTED;
use super::key::{may_count, names_secret};
use super::shape::hide;
use serde_json::{Map, Value};

/// Returns the value with secrets replaced by `[redacted]`: those under a key that names one, and those that show by their
/// shape, of which only the secret part is replaced.
///
/// ```
/// use pml::{json::json, redact};
///
/// let arguments = json!({ "user": "me", "password": "hunter2", "url": "https://me:hunter2@host/" });
/// let shown = json!({ "user": "me", "password": "[redacted]", "url": "https://me:[redacted]@host/" });
/// assert_eq!(redact(&arguments), shown);
/// ```
pub fn redact(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(hide(text).into_owned()),
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Object(fields) => Value::Object(object(fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn object(fields: &Map<String, Value>) -> Map<String, Value> {
    // `{ "name": "Authorization", "value": "…" }`: headers and variables as many servers take them.
    let named = ["name", "key", "header"].iter().find_map(|field| fields.get(*field)?.as_str());
    let value_is_secret = named.is_some_and(names_secret);
    let mut redacted = Map::with_capacity(fields.len());
    for (index, (key, value)) in fields.iter().enumerate() {
        let secret = names_secret(key) || value_is_secret && key == "value";
        let value = match value {
            // They say whether there is a secret, not which.
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(_) if may_count(key) => value.clone(),
            _ if secret => REDACTED.into(),
            _ => redact(value),
        };
        let mut key = hide(key).into_owned();
        // Two keys that look the same now are still two: none may hide the other.
        if redacted.contains_key(&key) {
            key += &format!(" ({index})");
        }
        redacted.insert(key, value);
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::redact;
    use serde_json::json;

    #[test]
    fn values_under_keys_of_secrets_are_replaced_whole() {
        let given = json!({ "a": [{ "apiKey": "x", "n": 1 }], "credentials": { "user": "u" }, "pwd": 1234 });
        let shown = json!({ "a": [{ "apiKey": "[redacted]", "n": 1 }], "credentials": "[redacted]", "pwd": "[redacted]" });
        assert_eq!(redact(&given), shown);
    }

    #[test]
    fn headers_as_pairs_are_known() {
        let given =
            json!([{ "name": "Authorization", "value": "x" }, { "name": "Accept", "value": "x" }]);
        let shown = json!([{ "name": "Authorization", "value": "[redacted]" }, { "name": "Accept", "value": "x" }]);
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
    fn keys_that_look_the_same_afterwards_are_both_there() {
        let given = json!({ "u://a:b@c": 1, "u://a:d@c": 2 });
        assert_eq!(redact(&given), json!({ "u://a:[redacted]@c": 1, "u://a:[redacted]@c (1)": 2 }));
    }
}
