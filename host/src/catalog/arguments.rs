//! Checks arguments against a tool's schema before the call is sent. A message names the field and
//! the expected value.
//!
//! Input: a schema once, then arguments many times. Output: mismatches.
//!
//! **Invariant:** no schema is fetched: a schema that refers to something outside itself is not
//! used. **Invariant:** schemas and arguments are hostile: the size of the schema, the work to
//! check a value against it, the size of regular expressions and their backtracking are bounded. A
//! check that would cost too much is skipped; the server checks the arguments itself.

use super::mismatch::{self, Mismatch};
use crate::catalog::schema_cost::{self, SchemaCost};
use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

/// Largest schema that is used, in bytes of JSON. The largest known is 30 KiB.
const SCHEMA: usize = 512 << 10;
/// Most backtracking steps in one match of a regular expression.
const BACKTRACKS: usize = 10_000;
/// Largest compiled regular expression, in bytes.
const PATTERN: usize = 1 << 20;

/// Checks arguments against one schema.
#[derive(Debug)]
pub struct ArgumentValidator {
    compiled: jsonschema::Validator,
    schema: Value,
    cost: SchemaCost,
}

/// The reason why arguments cannot be checked against a schema. The server checks them itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnusableSchema {
    /// The schema is too large, or unfolds to one that is too large.
    #[error("the schema is too large to check arguments against it")]
    TooLarge,
    /// The schema refers to something outside itself.
    #[error("the schema refers to something outside itself")]
    Outside,
    /// The schema contains itself directly, so that a check would never end.
    #[error("the schema contains itself")]
    Endless,
    /// The schema is not a valid JSON Schema.
    #[error("the schema is not valid")]
    Invalid,
}

impl ArgumentValidator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Fails if the schema cannot be used. That is no reason to refuse a call.
    pub fn new(schema: &Value) -> Result<ArgumentValidator, UnusableSchema> {
        let cost = schema_cost::cost_of(schema)?;
        if schema.to_string().len() > SCHEMA {
            return Err(UnusableSchema::TooLarge);
        }
        let build = |draft: Option<Draft>| {
            let patterns =
                PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS).size_limit(PATTERN);
            let mut options = jsonschema::options()
                .offline()
                .should_validate_formats(false)
                .with_pattern_options(patterns);
            if let Some(draft) = draft {
                options = options.with_draft(draft);
            }
            options.build(schema).map_err(|_| UnusableSchema::Invalid)
        };
        let compiled = match build(None) {
            // Many servers write draft 7 without declaring it.
            Err(_) if schema.get("$schema").is_none() => build(Some(Draft::Draft7))?,
            other => other?,
        };
        Ok(ArgumentValidator { compiled, schema: schema.clone(), cost })
    }

    /// Checks arguments. A check that would take too long is skipped and succeeds: the server
    /// checks the arguments itself.
    ///
    /// # Errors
    /// Returns the mismatches, only the first ones if there are many.
    pub fn check(&self, arguments: &Value) -> Result<(), Vec<Mismatch>> {
        let mismatches = self.mismatches(arguments, |_| true);
        if mismatches.is_empty() { Ok(()) } else { Err(mismatches) }
    }

    /// Returns the mismatches of arguments that pass the filter.
    pub(crate) fn mismatches(
        &self,
        arguments: &Value,
        filter: impl Fn(&Mismatch) -> bool,
    ) -> Vec<Mismatch> {
        if !self.cost.allows(arguments) || self.compiled.is_valid(arguments) {
            return Vec::new();
        }
        mismatch::from_errors(&self.schema, self.compiled.iter_errors(arguments), filter)
    }
}

#[cfg(test)]
mod tests {
    use super::{ArgumentValidator, UnusableSchema};
    use serde_json::{Value, json};

    fn messages(schema: Value, arguments: Value) -> Vec<String> {
        let validator = ArgumentValidator::new(&schema).expect("a schema");
        match validator.check(&arguments) {
            Ok(()) => Vec::new(),
            Err(mismatches) => mismatches.iter().map(ToString::to_string).collect(),
        }
    }

    fn read_file() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
                "mode": { "enum": ["text", "binary"] },
                "lines": { "type": "array", "items": { "type": "number" } },
                "since": { "type": ["string", "null"] },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn right_arguments_pass() {
        let arguments = json!({ "path": "a", "limit": 3, "mode": "text", "since": null });
        assert_eq!(messages(read_file(), arguments), [""; 0]);
    }

    #[test]
    fn wrong_ones_name_the_field_and_what_belongs_there() {
        for (arguments, message) in [
            (json!({ "path": 1 }), "`path` must be a string, not a number"),
            (json!({}), "`path` is missing"),
            (json!({ "path": "a", "limit": 1.5 }), "`limit` must be an integer, not a number"),
            (json!({ "path": "a", "limit": 0 }), "`limit` must be at least 1"),
            (json!({ "path": "a", "limit": 101 }), "`limit` must be at most 100"),
            (json!({ "path": "a", "mode": "x" }), "`mode` must be one of \"text\", \"binary\""),
            (json!({ "path": "a", "since": 1 }), "`since` must be a string or null, not a number"),
            (
                json!({ "path": "a", "lines": [1, "2"] }),
                "`lines[1]` must be a number, not a string",
            ),
            (json!({ "path": "a", "mod": "x" }), "`mod` is not known here, did you mean `mode`?"),
            (json!([]), "the arguments must be an object, not an array"),
        ] {
            assert_eq!(messages(read_file(), arguments), [message]);
        }
    }

    #[test]
    fn alternatives_are_told_by_their_types_or_by_the_nearest() {
        let schema = json!({ "properties": { "x": { "anyOf": [
            { "type": "string" }, { "type": "null" },
        ] } } });
        assert_eq!(
            messages(schema, json!({ "x": 1 })),
            ["`x` must be a string or null, not a number"]
        );
        let schema = json!({ "properties": { "x": { "oneOf": [
            { "type": "object", "properties": { "kind": { "const": "a" }, "n": { "type": "number" } }, "required": ["kind", "n"] },
            { "type": "string" },
        ] } } });
        assert_eq!(messages(schema, json!({ "x": { "kind": "a" } })), ["`x.n` is missing"]);
    }

    #[test]
    fn nullable_of_openapi_allows_null() {
        let schema = json!({ "properties": { "x": { "type": "string", "nullable": true } } });
        assert_eq!(messages(schema.clone(), json!({ "x": null })), [""; 0]);
        assert_eq!(messages(schema, json!({ "x": 1 })).len(), 1);
    }

    #[test]
    fn older_drafts_are_understood_also_where_nothing_says_so() {
        let pair = json!({ "properties": { "at": {
            "type": "array", "items": [{ "type": "number" }, { "type": "number" }],
            "additionalItems": false,
        } } });
        assert_eq!(messages(pair.clone(), json!({ "at": [1, 2] })), [""; 0]);
        assert_eq!(messages(pair, json!({ "at": [1, "x"] })).len(), 1);
    }

    #[test]
    fn schemas_that_cannot_be_used_say_why() {
        let refused =
            |schema: Value| ArgumentValidator::new(&schema).expect_err("no schema to use");
        let outside = json!({ "properties": { "x": { "$ref": "https://example.org/x.json" } } });
        assert_eq!(refused(outside), UnusableSchema::Outside);
        assert_eq!(refused(json!({ "$ref": "file:///etc/passwd" })), UnusableSchema::Outside);
        assert_eq!(refused(json!({ "type": "strnig" })), UnusableSchema::Invalid);
        assert_eq!(refused(json!({ "$ref": "#" })), UnusableSchema::Endless);
        let endless = json!({ "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/b" }, {}] }, "b": { "not": { "$ref": "#/$defs/a" } } }, "$ref": "#/$defs/a" });
        assert_eq!(refused(endless), UnusableSchema::Endless);
        assert_eq!(
            refused(json!({ "description": "x".repeat(1 << 20) })),
            UnusableSchema::TooLarge
        );
    }

    #[test]
    fn no_schema_and_no_value_take_forever() {
        // Each level doubles the work.
        let mut doubling = serde_json::Map::new();
        for level in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            doubling.insert(format!("d{level}"), json!({ "anyOf": [next, next] }));
        }
        doubling.insert("d40".into(), json!({ "type": "string" }));
        let schema = json!({ "$defs": doubling, "$ref": "#/$defs/d0" });
        assert_eq!(
            ArgumentValidator::new(&schema).expect_err("too much"),
            UnusableSchema::TooLarge
        );

        // Here each level of the value doubles the work.
        let step = json!({ "type": "object", "properties": { "x": { "$ref": "#" } } });
        let schema = json!({ "anyOf": [step, step, step] });
        let mut deep = json!(1);
        for _ in 0..60 {
            deep = json!({ "x": deep });
        }
        let validator = ArgumentValidator::new(&schema).expect("a schema");
        assert_eq!(validator.check(&deep), Ok(()));
        assert!(validator.check(&json!({ "x": 1 })).is_err());

        let slow = json!({ "properties": { "x": { "pattern": "^(a|aa)+\\1c$" } } });
        assert_eq!(messages(slow, json!({ "x": "a".repeat(200) })), [""; 0]);
    }

    #[test]
    fn recursive_schemas_are_checked() {
        let tree = json!({
            "$defs": { "node": { "type": "object", "properties": {
                "name": { "type": "string" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/node" } },
            } } },
            "$ref": "#/$defs/node",
        });
        let value = json!({ "children": [{ "name": "a", "children": [{ "name": 1 }] }] });
        assert_eq!(
            messages(tree, value),
            ["`children[0].children[0].name` must be a string, not a number"]
        );
    }

    #[test]
    fn many_and_long_mismatches_are_cut() {
        let schema = json!({ "additionalProperties": { "enum": (0..500).collect::<Vec<_>>() } });
        let arguments: Value = (0..500).map(|n| (format!("k{n}\u{202e}"), json!("x"))).collect();
        let messages = messages(schema, arguments);
        assert!(messages.len() <= 8, "{}", messages.len());
        assert!(messages.iter().all(|text| text.len() < 400 && !text.contains('\u{202e}')));
    }
}
