//! Turns a JSON file into a module with a default export.
//!
//! Input: JSON text. Output: JavaScript whose default export is the same value. **Invariant:** the
//! value is the one that `JSON.parse` returns. This includes the key `__proto__`, which an object
//! literal would treat as the prototype.

use crate::model::parsed_size;
use serde_json::Value;

/// Most memory that parsed JSON may take, in bytes.
const MEMORY: usize = 256 << 20;

/// Returns the module of a JSON text, or the parser's message with its line and byte column.
pub(super) fn module(text: &str) -> Result<String, (String, usize, usize)> {
    if parsed_size(text) > MEMORY {
        let message =
            format!("the JSON takes more than {MEMORY} bytes of memory once it is parsed");
        return Err((message, 1, 1));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        (message, error.line(), error.column())
    })?;
    if has_proto(&value) {
        let mut code = String::from("export default ");
        write(&value, &mut code);
        return Ok(code);
    }
    Ok(format!("export default {text}"))
}

// serde_json stops at a depth of 128, so these two recursions are bounded.
fn has_proto(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_proto),
        Value::Object(map) => map.iter().any(|(key, value)| key == "__proto__" || has_proto(value)),
        _ => false,
    }
}

fn write(value: &Value, code: &mut String) {
    match value {
        Value::Array(items) => {
            code.push('[');
            for item in items {
                write(item, code);
                code.push(',');
            }
            code.push(']');
        }
        Value::Object(map) => {
            code.push('{');
            for (key, value) in map {
                code.push('[');
                code.push_str(&Value::from(key.as_str()).to_string());
                code.push_str("]:");
                write(value, code);
                code.push(',');
            }
            code.push('}');
        }
        leaf => code.push_str(&leaf.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_is_kept_as_written() {
        assert_eq!(module("{ \"a\": [1, 2] }").unwrap(), "export default { \"a\": [1, 2] }");
    }

    #[test]
    fn proto_becomes_an_own_key() {
        assert_eq!(
            module(r#"{"a":[{"\u005f_proto__":{"x":1}}]}"#).unwrap(),
            r#"export default {["a"]:[{["__proto__"]:{["x"]:1,},},],}"#
        );
    }

    #[test]
    fn invalid_json_says_where() {
        let (message, line, column) = module("{\n  nope }").unwrap_err();
        assert_eq!((message.as_str(), line, column), ("key must be a string", 2, 3));
        assert!(module(&"[".repeat(100_000)).is_err());
        assert!(module("1;evil()").is_err());
    }
}
