//! Computes how much work a schema can cause, before it is used.
//!
//! References make a small schema large: each may double the size of its target. A schema that
//! refers to itself may double the work at each level of a value. Both are counted here. A check of
//! a schema that directly contains itself would never end, so such a schema is refused.

use super::arguments::UnusableSchema;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Largest schema with all references expanded, in parts.
const UNFOLDED: u64 = 50_000;
/// Deepest nesting of a schema, references followed.
const DEPTH: usize = 200;
/// Most work for one value: parts of the schema times parts of the value.
const WORK: u64 = 50_000_000;
/// Most paths through a schema that refers to itself, down to the deepest level of a value.
const PATHS: u64 = 1_000_000;

/// Keywords whose schemas apply to the same value, not to a part of it.
const IN_PLACE: [&str; 9] =
    ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

/// The cost of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaCost {
    unfolded: u64,
    /// The number of paths from one level of a value to the next, through references back.
    paths: u64,
}

/// Returns the cost of a schema, or the reason why it cannot be used.
pub(super) fn cost_of(schema: &Value) -> Result<SchemaCost, UnusableSchema> {
    let mut counter = SchemaCostCounter {
        root: schema,
        sizes: BTreeMap::new(),
        expanding: Vec::new(),
        back_references: BTreeSet::new(),
    };
    let unfolded = counter.count_parts(schema, 0)?;
    if unfolded > UNFOLDED {
        return Err(UnusableSchema::TooLarge);
    }
    let targets: BTreeSet<&str> = counter.sizes.keys().copied().chain(["#"]).collect();
    for target in targets {
        check_terminates(schema, target)?;
    }
    let mut uses = BTreeMap::new();
    count_references(schema, &mut uses);
    let paths = counter
        .back_references
        .iter()
        .filter_map(|reference| uses.get(reference))
        .max()
        .copied()
        .unwrap_or(1);
    Ok(SchemaCost { unfolded, paths })
}

impl SchemaCost {
    /// Reports whether a value can be checked in bounded time.
    pub(super) fn allows(self, value: &Value) -> bool {
        let (parts, depth) = measure(value);
        let deepest = u32::try_from(depth).unwrap_or(u32::MAX);
        self.unfolded.saturating_mul(parts) <= WORK
            && self.paths.checked_pow(deepest).is_some_and(|paths| paths <= PATHS)
    }
}

struct SchemaCostCounter<'s> {
    root: &'s Value,
    /// The size of the target of each reference, in parts.
    sizes: BTreeMap<&'s str, u64>,
    expanding: Vec<&'s str>,
    /// References to a schema that contains them.
    back_references: BTreeSet<&'s str>,
}

impl<'s> SchemaCostCounter<'s> {
    fn count_parts(&mut self, part: &'s Value, depth: usize) -> Result<u64, UnusableSchema> {
        if depth > DEPTH {
            return Err(UnusableSchema::TooLarge);
        }
        let mut sum: u64 = 1;
        match part {
            Value::Array(items) => {
                for item in items {
                    sum = sum.saturating_add(self.count_parts(item, depth + 1)?);
                }
            }
            Value::Object(fields) => {
                if ["$dynamicRef", "$recursiveRef"].iter().any(|it| fields.contains_key(*it)) {
                    return Err(UnusableSchema::Outside);
                }
                for (name, field) in fields {
                    let more = match field {
                        Value::String(reference) if name == "$ref" => {
                            self.count_target(reference, depth + 1)?
                        }
                        // A nested `$id` would give the references within it another root.
                        Value::String(_) if name == "$id" && depth > 0 => {
                            return Err(UnusableSchema::Outside);
                        }
                        field => self.count_parts(field, depth + 1)?,
                    };
                    sum = sum.saturating_add(more);
                }
            }
            _ => {}
        }
        Ok(sum)
    }

    fn count_target(&mut self, reference: &'s str, depth: usize) -> Result<u64, UnusableSchema> {
        if let Some(size) = self.sizes.get(reference) {
            return Ok(*size);
        }
        if self.expanding.contains(&reference) {
            self.back_references.insert(reference);
            return Ok(1);
        }
        let target = target(self.root, reference).ok_or(UnusableSchema::Outside)?;
        if reference == "#" {
            // The whole schema is being counted already.
            self.back_references.insert(reference);
            self.sizes.insert(reference, 1);
            return Ok(1);
        }
        self.expanding.push(reference);
        let size = self.count_parts(target, depth)?;
        self.expanding.pop();
        self.sizes.insert(reference, size);
        Ok(size)
    }
}

fn target<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    match reference.strip_prefix('#')? {
        "" => Some(root),
        pointer => root.pointer(pointer),
    }
}

/// Fails if the target of a reference leads back to itself without descending into the value.
fn check_terminates(root: &Value, reference: &str) -> Result<(), UnusableSchema> {
    let mut visited: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<&Value> = target(root, reference).into_iter().collect();
    while let Some(part) = pending.pop() {
        let Value::Object(fields) = part else { continue };
        if let Some(next) = fields.get("$ref").and_then(Value::as_str) {
            if next == reference {
                return Err(UnusableSchema::Endless);
            }
            if visited.insert(next) {
                pending.extend(target(root, next));
            }
        }
        for keyword in IN_PLACE {
            match fields.get(keyword) {
                Some(Value::Array(members)) => pending.extend(members),
                Some(Value::Object(members)) if keyword.starts_with("depend") => {
                    pending.extend(members.values());
                }
                Some(schema) => pending.push(schema),
                None => {}
            }
        }
    }
    Ok(())
}

fn count_references<'s>(part: &'s Value, uses: &mut BTreeMap<&'s str, u64>) {
    match part {
        Value::Array(items) => items.iter().for_each(|item| count_references(item, uses)),
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                *uses.entry(reference).or_default() += 1;
            }
            fields.values().for_each(|field| count_references(field, uses));
        }
        _ => {}
    }
}

/// Returns the number of parts of a value, and its depth.
fn measure(value: &Value) -> (u64, usize) {
    let (mut parts, mut depth) = (0, 0);
    let mut pending = vec![(value, 1)];
    while let Some((value, level)) = pending.pop() {
        parts += 1;
        depth = depth.max(level);
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => {
                pending.extend(fields.values().map(|field| (field, level + 1)));
            }
            _ => {}
        }
    }
    (parts, depth)
}
