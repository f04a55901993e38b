//! Names the types that a tool's schemas refer to.

use super::reader::{ReferenceMode, SchemaReader};
use super::text::is_identifier;
use super::types::Type;
use crate::model::words;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Most named types of one schema.
const NAMES: usize = 100;
/// Longest part of a name that comes from a schema, in characters.
const PART: usize = 60;

/// A type with a name.
pub(super) struct NamedType {
    pub(super) name: String,
    pub(super) kind: Type,
}

/// Reads a schema whose references become named types. The names begin with `prefix` and are added
/// to `taken`.
pub(super) fn read(
    schema: &Value,
    prefix: &str,
    taken: &mut BTreeSet<String>,
) -> (Type, Vec<NamedType>) {
    let names = RefCell::new(TypeNames {
        prefix,
        taken,
        by_reference: BTreeMap::new(),
        pending: Vec::new(),
    });
    let mut name = |reference: &str| names.borrow_mut().name(reference);
    let mut reader = SchemaReader::new(schema, ReferenceMode::Named(&mut name));
    let root = reader.read_root();
    let mut named = Vec::new();
    loop {
        let Some((reference, name)) = names.borrow_mut().pending.pop() else { break };
        named.push(NamedType { name, kind: reader.read_target(&reference) });
    }
    named.sort_by(|one, other| one.name.cmp(&other.name));
    (root, named)
}

struct TypeNames<'n> {
    prefix: &'n str,
    taken: &'n mut BTreeSet<String>,
    by_reference: BTreeMap<String, String>,
    /// References whose types still have to be read, with their names.
    pending: Vec<(String, String)>,
}

impl TypeNames<'_> {
    fn name(&mut self, reference: &str) -> String {
        if let Some(name) = self.by_reference.get(reference) {
            return name.clone();
        }
        if self.by_reference.len() == NAMES {
            return "unknown".into();
        }
        let last = reference.rsplit('/').next().unwrap_or_default();
        let part: String = pascal_case(last).chars().take(PART).collect();
        let stem = format!("{}{}", self.prefix, if part.is_empty() { "Value" } else { &part });
        let name = unused(&stem, self.taken);
        self.by_reference.insert(reference.into(), name.clone());
        self.pending.push((reference.into(), name.clone()));
        name
    }
}

fn unused(stem: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = stem.to_owned();
    let mut count = 1;
    while !taken.insert(name.clone()) {
        count += 1;
        name = format!("{stem}{count}");
    }
    name
}

/// Returns the words of a text as the name of a type, without characters that an identifier cannot
/// contain.
pub(super) fn pascal_case(text: &str) -> String {
    let mut name = String::new();
    for word in words(text) {
        let word: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        if let Some(first) = word.chars().next() {
            name.push(first.to_ascii_uppercase());
            name.push_str(&word[1..]);
        }
    }
    if !name.is_empty() && !is_identifier(&name) {
        name.insert(0, '_');
    }
    name
}
