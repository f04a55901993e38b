//! The shape of JSON values: what a schema would say about all observed values, without the values
//! themselves.
//!
//! Shapes can be joined. Joining a shape that is already included changes nothing, so the
//! observations of several processes can be combined in any order, and more than once.
//!
//! **Invariant:** a shape contains no value. Keys that look like data and not like field names (an
//! address, an id, a path) are not stored: such an object is a record. **Invariant:** depth, fields
//! and parts are bounded, whatever a server returns.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Deepest nesting that is inspected.
const DEPTH: usize = 8;
/// Most fields of one object; one with more is a record.
const FIELDS: usize = 48;
/// From this many fields on, an object is a record if all its fields are optional.
const OPTIONAL_FIELDS: usize = 8;
/// Most items inspected in one list.
const ITEMS: usize = 32;
/// Most values inspected in one result.
const VALUES: usize = 4_000;
/// Longest name of a field, in bytes.
const NAME: usize = 64;
/// Most digits in the name of a field: an id or a date has more.
const DIGITS: usize = 3;

/// The kinds of values that were observed at one position; each field that is set was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ValueShape {
    #[serde(skip_serializing_if = "is_false")]
    null: bool,
    #[serde(skip_serializing_if = "is_false")]
    boolean: bool,
    #[serde(skip_serializing_if = "is_false")]
    integer: bool,
    #[serde(skip_serializing_if = "is_false")]
    number: bool,
    #[serde(skip_serializing_if = "is_false")]
    string: bool,
    /// Any value: too deep or too large for more detail.
    #[serde(skip_serializing_if = "is_false")]
    any: bool,
    /// A list, with the shape of its items.
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<Box<ValueShape>>,
    /// An object with fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<BTreeMap<String, ShapeField>>,
    /// An object whose keys are data, with the shape of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Box<ValueShape>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeField {
    shape: ValueShape,
    #[serde(default, skip_serializing_if = "is_false")]
    optional: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl ValueShape {
    /// Returns the shape of one value.
    pub(super) fn of(value: &Value) -> ValueShape {
        let mut remaining = VALUES;
        shape_of(value, DEPTH, &mut remaining)
    }

    /// Joins another shape into this one.
    pub(super) fn join(&mut self, other: ValueShape) {
        self.null |= other.null;
        self.boolean |= other.boolean;
        self.integer |= other.integer;
        self.number |= other.number;
        self.string |= other.string;
        self.any |= other.any;
        join_boxes(&mut self.array, other.array);
        join_boxes(&mut self.record, other.record);
        match (&mut self.object, other.object) {
            (Some(fields), Some(others)) => join_fields(fields, others),
            (None, Some(others)) => self.object = Some(others),
            (_, None) => {}
        }
        self.normalise();
    }

    /// Returns the number of parts of the shape.
    pub(super) fn parts(&self) -> usize {
        let boxed = |inner: &Option<Box<ValueShape>>| inner.as_ref().map_or(0, |it| it.parts());
        let fields = self.object.iter().flatten().map(|(_, field)| field.shape.parts());
        1 + boxed(&self.array) + boxed(&self.record) + fields.sum::<usize>()
    }

    /// Replaces every part that is deeper than `depth` by `any`.
    pub(super) fn prune(&mut self, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            *self = ValueShape { any: true, ..ValueShape::default() };
            return;
        };
        for inner in [&mut self.array, &mut self.record].into_iter().flatten() {
            inner.prune(depth);
        }
        for field in self.object.iter_mut().flat_map(BTreeMap::values_mut) {
            field.shape.prune(depth);
        }
    }

    /// Returns the shape as a JSON Schema.
    pub(super) fn schema(&self) -> Value {
        if self.any {
            return json!({});
        }
        let mut kinds: Vec<Value> = Vec::new();
        if let Some(fields) = &self.object {
            kinds.push(object_schema(fields));
        }
        if let Some(values) = &self.record {
            kinds.push(json!({ "type": "object", "additionalProperties": values.schema() }));
        }
        if let Some(items) = &self.array {
            let items = match **items == ValueShape::default() {
                // Only empty lists were observed.
                true => json!({}),
                false => items.schema(),
            };
            kinds.push(json!({ "type": "array", "items": items }));
        }
        let plain = [
            (self.string, "string"),
            (self.number, "number"),
            (self.integer && !self.number, "integer"),
            (self.boolean, "boolean"),
            (self.null, "null"),
        ];
        kinds.extend(
            plain.iter().filter(|(seen, _)| *seen).map(|(_, name)| json!({ "type": name })),
        );
        match kinds.len() {
            0 => json!({}),
            1 => kinds.remove(0),
            _ => json!({ "anyOf": kinds }),
        }
    }

    /// Turns an object into a record if it has too many fields, only optional fields, or keys that
    /// are data. An object has either fields or a record, never both.
    fn normalise(&mut self) {
        let Some(fields) = &self.object else { return };
        let all_optional =
            fields.len() >= OPTIONAL_FIELDS && fields.values().all(|field| field.optional);
        let has_data_keys = !fields.keys().all(|name| is_field_name(name));
        if self.record.is_some() || fields.len() > FIELDS || all_optional || has_data_keys {
            let mut values = self.record.take().map_or_else(ValueShape::default, |it| *it);
            for field in self.object.take().into_iter().flat_map(BTreeMap::into_values) {
                values.join(field.shape);
            }
            self.record = Some(Box::new(values));
        }
    }
}

fn shape_of(value: &Value, depth: usize, remaining: &mut usize) -> ValueShape {
    let mut shape = ValueShape::default();
    if depth == 0 || *remaining == 0 {
        return ValueShape { any: true, ..shape };
    }
    *remaining -= 1;
    match value {
        Value::Null => shape.null = true,
        Value::Bool(_) => shape.boolean = true,
        Value::Number(number) if number.is_f64() => shape.number = true,
        Value::Number(_) => shape.integer = true,
        Value::String(_) => shape.string = true,
        Value::Array(items) => {
            let mut inner = ValueShape::default();
            for item in items.iter().take(ITEMS) {
                inner.join(shape_of(item, depth - 1, remaining));
            }
            shape.array = Some(Box::new(inner));
        }
        Value::Object(fields) => read_object(&mut shape, fields, depth, remaining),
    }
    shape
}

fn read_object(
    shape: &mut ValueShape,
    fields: &Map<String, Value>,
    depth: usize,
    remaining: &mut usize,
) {
    if fields.len() > FIELDS || !fields.keys().all(|name| is_field_name(name)) {
        let mut values = ValueShape::default();
        for value in fields.values().take(ITEMS) {
            values.join(shape_of(value, depth - 1, remaining));
        }
        shape.record = Some(Box::new(values));
        return;
    }
    let fields = fields.iter().map(|(name, value)| {
        (name.clone(), ShapeField { shape: shape_of(value, depth - 1, remaining), optional: false })
    });
    shape.object = Some(fields.collect());
}

fn join_boxes(one: &mut Option<Box<ValueShape>>, other: Option<Box<ValueShape>>) {
    match (one, other) {
        (Some(one), Some(other)) => one.join(*other),
        (one @ None, other) => *one = other,
        (Some(_), None) => {}
    }
}

fn join_fields(fields: &mut BTreeMap<String, ShapeField>, others: BTreeMap<String, ShapeField>) {
    for (name, field) in fields.iter_mut() {
        field.optional |= !others.contains_key(name);
    }
    for (name, other) in others {
        match fields.get_mut(&name) {
            Some(field) => {
                field.optional |= other.optional;
                field.shape.join(other.shape);
            }
            None => {
                fields.insert(name, ShapeField { optional: true, ..other });
            }
        }
    }
}

/// Reports whether a key looks like a field name that a programmer chose.
fn is_field_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '@');
    name.len() <= NAME
        && name.starts_with(letter)
        && name.chars().skip(1).all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-'))
        && name.chars().filter(char::is_ascii_digit).count() <= DIGITS
}

fn object_schema(fields: &BTreeMap<String, ShapeField>) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|(name, field)| (name.clone(), field.shape.schema())).collect();
    let required: Vec<&String> =
        fields.iter().filter(|(_, field)| !field.optional).map(|(name, _)| name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::ValueShape;
    use serde_json::{Value, json};

    fn shape(values: &[Value]) -> ValueShape {
        let mut all = ValueShape::of(&values[0]);
        values[1..].iter().for_each(|value| all.join(ValueShape::of(value)));
        all
    }

    fn schema(values: &[Value]) -> Value {
        shape(values).schema()
    }

    #[test]
    fn fields_that_are_not_always_there_are_optional() {
        assert_eq!(
            schema(&[json!({ "a": 1, "b": "x" }), json!({ "a": 2 }), json!({ "a": 3, "c": true })]),
            json!({
                "type": "object",
                "properties": {
                    "a": { "type": "integer" },
                    "b": { "type": "string" },
                    "c": { "type": "boolean" },
                },
                "required": ["a"],
            })
        );
    }

    #[test]
    fn several_types_are_a_union_and_an_integer_may_be_a_number() {
        assert_eq!(
            schema(&[json!([1, null]), json!([2.5, "x"]), json!([])]),
            json!({ "type": "array", "items": { "anyOf": [
                { "type": "string" }, { "type": "number" }, { "type": "null" },
            ] } })
        );
        assert_eq!(schema(&[json!([])]), json!({ "type": "array", "items": {} }));
    }

    #[test]
    fn keys_that_are_data_are_not_kept() {
        let mail = schema(&[json!({ "ann@example.org": { "n": 1 } })]);
        assert_eq!(
            mail["additionalProperties"]["properties"],
            json!({ "n": { "type": "integer" } })
        );
        assert!(!mail.to_string().contains("ann"));
        assert!(schema(&[json!({ "2026-11-17": 1 })]).get("properties").is_none());
        let many: Value = (0..100).map(|n| (format!("k{n}"), json!(n))).collect();
        assert_eq!(schema(&[many])["additionalProperties"], json!({ "type": "integer" }));
        let differing: Vec<Value> = ["ann", "bob", "cyd", "dee", "eve", "fay", "gus", "hal"]
            .iter()
            .map(|k| json!({ *k: 1 }))
            .collect();
        assert_eq!(schema(&differing)["additionalProperties"], json!({ "type": "integer" }));
    }

    #[test]
    fn joining_what_is_known_changes_nothing() {
        let values = [json!({ "a": [1, { "b": null }] }), json!({ "c": { "x@y": 2 } })];
        let both = shape(&values);
        let mut again = both.clone();
        again.join(ValueShape::of(&values[0]));
        again.join(both.clone());
        assert_eq!(again, both);
        assert_eq!(both, shape(&[values[1].clone(), values[0].clone()]));
    }

    #[test]
    fn no_value_is_kept() {
        let text = serde_json::to_string(&ValueShape::of(&json!({ "token": "s3cret", "n": 4711 })));
        let text = text.expect("a shape is JSON");
        assert!(!text.contains("s3cret") && !text.contains("4711"), "{text}");
        assert_eq!(
            serde_json::from_str::<ValueShape>(&text).expect("a shape"),
            ValueShape::of(&json!({ "token": "", "n": 1 }))
        );
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!({ "x": [deep] });
        }
        assert!(ValueShape::of(&deep).parts() < 20);
        let wide: Value = (0..100_000).map(|n| json!({ "a": [n] })).collect();
        assert!(ValueShape::of(&wide).parts() < 10);
        let mut pruned = ValueShape::of(&json!({ "a": { "b": { "c": 1 } } }));
        pruned.prune(2);
        assert_eq!(pruned.schema()["properties"]["a"]["properties"]["b"], json!({}));
    }
}
