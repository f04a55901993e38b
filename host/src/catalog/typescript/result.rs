//! The type of a tool's result: what the server says, else what was seen, else anything.
//!
//! Where neither is known the type is `any`, not `unknown`: most servers give no output schema, and
//! a program that must cast every result before it may look at it is checked no better for it.

use super::types::Type;
use crate::catalog::{InferredSchema, ObservedResults};
use crate::model::Definition;
use serde_json::Value;

/// Where the type of a result comes from.
pub(super) enum ResultTypeSource {
    /// The server's own schema.
    Declared,
    /// So many results that were seen.
    Inferred(u32),
    /// Nothing is known.
    Unknown,
}

/// Returns the type of a tool's result. `read` reads a schema.
pub(super) fn of(
    definition: &Definition,
    observed: Option<&ObservedResults>,
    mut read: impl FnMut(&Value) -> Type,
) -> (Type, ResultTypeSource) {
    if let Some(schema) = &definition.output {
        let kind = read(schema);
        if !kind.says_nothing() {
            return (kind, ResultTypeSource::Declared);
        }
    }
    let seen = observed.and_then(|observed| observed.inferred(definition));
    match seen {
        Some(InferredSchema { schema, results }) => match read(&schema) {
            kind if kind.says_nothing() => (Type::word("any"), ResultTypeSource::Unknown),
            kind => (kind, ResultTypeSource::Inferred(results)),
        },
        None => (Type::word("any"), ResultTypeSource::Unknown),
    }
}

impl ResultTypeSource {
    /// Returns what a reader should know of the type.
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
