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
const WAYS: u64 = 1_000_000;

/// Keywords whose schemas apply to the same value, not to a part of it.
const IN_PLACE: [&str; 9] =
    ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

/// The cost of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaCost {
    unfolded: u64,
    /// The number of paths from one level of a value to the next, through references back.
    ways: u64,
}

/// Returns the cost of a schema, or the reason why it cannot be used.
pub(super) fn of(schema: &Value) -> Result<SchemaCost, UnusableSchema> {
    let mut scale = SchemaCostCounter {
        root: schema,
        known: BTreeMap::new(),
        open: Vec::new(),
        back: BTreeSet::new(),
    };
    let unfolded = scale.weigh(schema, 0)?;
    if unfolded > UNFOLDED {
        return Err(UnusableSchema::TooLarge);
    }
    let targets: BTreeSet<&str> = scale.known.keys().copied().chain(["#"]).collect();
    for target in targets {
        check_ends(schema, target)?;
    }
    let mut uses = BTreeMap::new();
    count(schema, &mut uses);
    let ways = scale.back.iter().filter_map(|back| uses.get(back)).max().copied().unwrap_or(1);
    Ok(SchemaCost { unfolded, ways })
}

impl SchemaCost {
    /// Reports whether a value can be checked in bounded time.
    pub(super) fn bears(self, value: &Value) -> bool {
        let (parts, depth) = measure(value);
        let deepest = u32::try_from(depth).unwrap_or(u32::MAX);
        self.unfolded.saturating_mul(parts) <= WORK
            && self.ways.checked_pow(deepest).is_some_and(|ways| ways <= WAYS)
    }
}

struct SchemaCostCounter<'s> {
    root: &'s Value,
    /// The size of the target of each reference, in parts.
    known: BTreeMap<&'s str, u64>,
    open: Vec<&'s str>,
    /// References to a schema that contains them.
    back: BTreeSet<&'s str>,
}

impl<'s> SchemaCostCounter<'s> {
    fn weigh(&mut self, part: &'s Value, depth: usize) -> Result<u64, UnusableSchema> {
        if depth > DEPTH {
            return Err(UnusableSchema::TooLarge);
        }
        let mut sum: u64 = 1;
        match part {
            Value::Array(items) => {
                for item in items {
                    sum = sum.saturating_add(self.weigh(item, depth + 1)?);
                }
            }
            Value::Object(fields) => {
                if ["$dynamicRef", "$recursiveRef"].iter().any(|it| fields.contains_key(*it)) {
                    return Err(UnusableSchema::Outside);
                }
                for (name, field) in fields {
                    let more = match field {
                        Value::String(reference) if name == "$ref" => {
                            self.behind(reference, depth + 1)?
                        }
                        // A nested `$id` would give the references within it another root.
                        Value::String(_) if name == "$id" && depth > 0 => {
                            return Err(UnusableSchema::Outside);
                        }
                        field => self.weigh(field, depth + 1)?,
                    };
                    sum = sum.saturating_add(more);
                }
            }
            _ => {}
        }
        Ok(sum)
    }

    fn behind(&mut self, reference: &'s str, depth: usize) -> Result<u64, UnusableSchema> {
        if let Some(known) = self.known.get(reference) {
            return Ok(*known);
        }
        if self.open.contains(&reference) {
            self.back.insert(reference);
            return Ok(1);
        }
        let target = target(self.root, reference).ok_or(UnusableSchema::Outside)?;
        if reference == "#" {
            // The whole schema is being counted already.
            self.back.insert(reference);
            self.known.insert(reference, 1);
            return Ok(1);
        }
        self.open.push(reference);
        let weight = self.weigh(target, depth)?;
        self.open.pop();
        self.known.insert(reference, weight);
        Ok(weight)
    }
}

fn target<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    match reference.strip_prefix('#')? {
        "" => Some(root),
        pointer => root.pointer(pointer),
    }
}

/// Fails if the target of a reference leads back to itself without descending into the value.
fn check_ends(root: &Value, reference: &str) -> Result<(), UnusableSchema> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&Value> = target(root, reference).into_iter().collect();
    while let Some(part) = open.pop() {
        let Value::Object(fields) = part else { continue };
        if let Some(next) = fields.get("$ref").and_then(Value::as_str) {
            if next == reference {
                return Err(UnusableSchema::Endless);
            }
            if seen.insert(next) {
                open.extend(target(root, next));
            }
        }
        for keyword in IN_PLACE {
            match fields.get(keyword) {
                Some(Value::Array(members)) => open.extend(members),
                Some(Value::Object(members)) if keyword.starts_with("depend") => {
                    open.extend(members.values());
                }
                Some(schema) => open.push(schema),
                None => {}
            }
        }
    }
    Ok(())
}

fn count<'s>(part: &'s Value, uses: &mut BTreeMap<&'s str, u64>) {
    match part {
        Value::Array(items) => items.iter().for_each(|item| count(item, uses)),
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                *uses.entry(reference).or_default() += 1;
            }
            fields.values().for_each(|field| count(field, uses));
        }
        _ => {}
    }
}

/// Returns the number of parts of a value, and its depth.
fn measure(value: &Value) -> (u64, usize) {
    let (mut parts, mut depth) = (0, 0);
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        parts += 1;
        depth = depth.max(level);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => {
                open.extend(fields.values().map(|field| (field, level + 1)));
            }
            _ => {}
        }
    }
    (parts, depth)
}
