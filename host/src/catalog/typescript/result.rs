//! Finds the type of a tool's result: from the server's output schema, else from observed results,
//! else `any`.
//!
//! If neither is known the type is `any`, not `unknown`: most servers give no output schema, and
//! casting every result before use would not make a program safer.

use super::types::Type;
use crate::catalog::{InferredSchema, ObservedResults};
use crate::model::Definition;
use serde_json::Value;

/// The source of the type of a result.
pub(super) enum ResultTypeSource {
    /// The server's own schema.
    Declared,
    /// This many observed results.
    Inferred(u32),
    /// The type is not known.
    Unknown,
}

/// Returns the type of a tool's result and its source. `read` reads a schema.
pub(super) fn result_type(
    definition: &Definition,
    observed: Option<&ObservedResults>,
    mut read: impl FnMut(&Value) -> Type,
) -> (Type, ResultTypeSource) {
    if let Some(schema) = &definition.output {
        let kind = read(schema);
        if !kind.is_uninformative() {
            return (kind, ResultTypeSource::Declared);
        }
    }
    let inferred = observed.and_then(|observed| observed.inferred_schema(definition));
    match inferred {
        Some(InferredSchema { schema, results }) => match read(&schema) {
            kind if kind.is_uninformative() => (Type::word("any"), ResultTypeSource::Unknown),
            kind => (kind, ResultTypeSource::Inferred(results)),
        },
        None => (Type::word("any"), ResultTypeSource::Unknown),
    }
}

impl ResultTypeSource {
    /// Returns a note for readers about the source of the type, if they need one.
    pub(super) fn note(&self) -> Option<String> {
        match self {
            ResultTypeSource::Declared => None,
            ResultTypeSource::Inferred(1) => Some("inferred from 1 observed result".into()),
            ResultTypeSource::Inferred(count) => {
                Some(format!("inferred from {count} observed results"))
            }
            ResultTypeSource::Unknown => Some("the server gives no output schema".into()),
        }
    }
}
