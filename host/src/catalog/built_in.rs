//! The built-in tools of pml, described as a server would describe them.

use crate::model::{Definition, ToolName};
use serde_json::{Value, json};

/// Returns the built-in tools: `pml:sleep` and `pml:confirm`.
pub(crate) fn definitions() -> Vec<Definition> {
    let one = |name: &str, about: &str, input: Value, output: Option<Value>| {
        let tool: ToolName = name.parse().expect("our own names are names");
        let mut definition = Definition::new(tool, about, input);
        definition.output = output;
        definition
    };
    vec![
        one(
            "pml:confirm",
            "Asks a person whether the program may go on. It throws if they decline.",
            json!({
                "type": "object",
                "properties": { "message": { "type": "string" } },
                "required": ["message"],
            }),
            Some(json!({
                "type": "object",
                "properties": { "approved": { "const": true } },
                "required": ["approved"],
            })),
        ),
        one(
            "pml:sleep",
            "Waits so many milliseconds, as `setTimeout` does.",
            json!({
                "type": "object",
                "properties": { "ms": { "type": "number" } },
                "required": ["ms"],
            }),
            Some(json!({ "type": "null" })),
        ),
    ]
}
