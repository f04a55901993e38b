//! Canonical JSON: equal values have equal texts, and so equal digests.

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the sha256 of a value's canonical form, in hex.
pub fn digest(value: &Value) -> String {
    hex(&Sha256::digest(canonical(value)))
}

/// Returns the canonical form of a value: JSON with sorted keys and no blanks.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Returns a value as indented JSON with sorted keys, for people.
pub(super) fn pretty(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_unstable_by_key(|(key, _)| *key);
                let sorted = fields.into_iter().map(|(key, value)| (key.clone(), sorted(value)));
                Value::Object(sorted.collect())
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            plain => plain.clone(),
        }
    }
    format!("{:#}", sorted(value))
}

/// Returns bytes as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::digest;
    use serde_json::json;

    #[test]
    fn the_order_of_keys_does_not_matter_and_everything_else_does() {
        let one = json!({ "a": 1, "b": { "x": [1, 2], "y": "\n" } });
        assert_eq!(digest(&one), digest(&json!({ "b": { "y": "\n", "x": [1, 2] }, "a": 1 })));
        assert_ne!(digest(&one), digest(&json!({ "b": { "y": "\n", "x": [2, 1] }, "a": 1 })));
        assert_ne!(digest(&json!("1")), digest(&json!(1)));
        assert_eq!(digest(&one).len(), 64);
    }
}
