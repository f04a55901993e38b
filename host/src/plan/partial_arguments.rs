//! Arguments as a program writes them: a value with holes, and the offset of each part in the text.

use crate::catalog::{Mismatch, MismatchKind};
use crate::source::{Literal, LiteralValue};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A value that is written out in part. Its parts are named by JSON pointers.
#[derive(Debug, Default)]
pub(super) struct PartialArguments {
    /// The value, with null in each hole.
    pub(super) value: Value,
    /// Parts whose values are unknown.
    pub(super) holes: BTreeSet<String>,
    /// Lists and objects that may have more parts.
    pub(super) open: BTreeSet<String>,
    /// The offsets of parts.
    value_offsets: BTreeMap<String, u32>,
    /// The offsets of the names of fields.
    name_offsets: BTreeMap<String, u32>,
}

impl PartialArguments {
    /// Reads arguments. Absent arguments are an empty object.
    pub(super) fn new(literal: &Literal) -> PartialArguments {
        let mut partial = PartialArguments::default();
        partial.value = match literal.value {
            LiteralValue::Absent => {
                partial.value_offsets.insert(String::new(), literal.offset);
                Value::Object(serde_json::Map::new())
            }
            _ => partial.read(literal, String::new()),
        };
        partial
    }

    fn read(&mut self, literal: &Literal, path: String) -> Value {
        self.value_offsets.insert(path.clone(), literal.offset);
        match &literal.value {
            LiteralValue::Scalar(value) => value.clone(),
            LiteralValue::Hole | LiteralValue::Absent => {
                self.holes.insert(path);
                Value::Null
            }
            LiteralValue::List { items, open } => {
                if *open {
                    self.open.insert(path.clone());
                }
                let part = |(index, item)| self.read(item, format!("{path}/{index}"));
                Value::Array(items.iter().enumerate().map(part).collect())
            }
            LiteralValue::Object { fields, open } => {
                if *open {
                    self.open.insert(path.clone());
                }
                let fields = fields.iter().map(|field| {
                    let part = child_path(&path, &field.name);
                    self.name_offsets.insert(part.clone(), field.offset);
                    (field.name.clone(), self.read(&field.value, part))
                });
                Value::Object(fields.collect())
            }
        }
    }

    /// Reports whether a mismatch exists for every possible value of the holes.
    pub(super) fn is_certain(&self, mismatch: &Mismatch) -> bool {
        if self.holes.is_empty() && self.open.is_empty() {
            return true;
        }
        let path = mismatch.path.as_str();
        if mismatch.conditional || self.is_in_hole(path) {
            return false;
        }
        if !self.has_gaps(path) {
            return true;
        }
        match &mismatch.kind {
            MismatchKind::Type => true,
            MismatchKind::Missing(_) | MismatchKind::Length => !self.open.contains(path),
            // A field that is written out exists, whatever its value.
            MismatchKind::Unknown(_) => true,
            MismatchKind::Value => false,
        }
    }

    fn is_in_hole(&self, path: &str) -> bool {
        self.holes.iter().any(|hole| is_within(path, hole))
    }

    fn has_gaps(&self, path: &str) -> bool {
        self.holes.iter().chain(&self.open).any(|gap| is_within(gap, path))
    }

    /// Returns the offset in the text that shows a mismatch best.
    pub(super) fn offset(&self, mismatch: &Mismatch) -> Option<u32> {
        let name = match &mismatch.kind {
            MismatchKind::Unknown(names) => names
                .first()
                .and_then(|name| self.name_offsets.get(&child_path(&mismatch.path, name))),
            _ => None,
        };
        name.or_else(|| self.value_offsets.get(&mismatch.path)).copied()
    }
}

fn child_path(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Reports whether a part is at a path or below it.
fn is_within(part: &str, path: &str) -> bool {
    part.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
