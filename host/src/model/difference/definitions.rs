//! The differences between two definitions of a tool.

use super::pieces::Difference;
use crate::model::{Definition, canonical::pretty};
use serde_json::Value;

/// Most bytes of a text in a difference: a journal stores every ask, and a definition may be large.
const TEXT_LIMIT: usize = 64 << 10;

/// Bytes before the first difference that are included of a longer text.
const BYTES_BEFORE: usize = 1 << 10;

/// Bytes at the end that are included of a longer text.
const BYTES_AT_END: usize = 16 << 10;

/// Bytes for the note on how much is left out between them.
const NOTE_LENGTH: usize = 64;

/// Returns every part in which two definitions of a tool differ.
pub fn differences_of(before: &Definition, after: &Definition) -> Vec<Difference> {
    let schema = |schema: &Option<Value>| schema.as_ref().map(pretty);
    let annotations = |definition: &Definition| {
        let annotations = serde_json::to_value(definition.annotations).unwrap_or_default();
        Some(pretty(&annotations))
    };
    let description = |definition: &Definition| Some(definition.description.clone());
    let parts = [
        ("title", before.title.clone(), after.title.clone()),
        ("description", description(before), description(after)),
        ("annotations", annotations(before), annotations(after)),
        ("inputSchema", Some(pretty(&before.input)), Some(pretty(&after.input))),
        ("outputSchema", schema(&before.output), schema(&after.output)),
    ];
    let changed = parts.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(part, before, after)| bounded_difference(part, before, after)).collect()
}

/// Returns a difference that includes the first place where two texts differ, and a limited part of
/// the text that follows.
fn bounded_difference(part: &str, before: Option<String>, after: Option<String>) -> Difference {
    let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > TEXT_LIMIT);
    if !long(&before) && !long(&after) {
        return Difference::new(part, before, after);
    }
    let (one, other) =
        (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let window = |text: String| {
        let start = text.floor_char_boundary(same.saturating_sub(BYTES_BEFORE));
        if text.len() - start <= TEXT_LIMIT {
            return text[start..].to_owned();
        }
        // The end of a text is always compared, whatever comes before it.
        let head = text.floor_char_boundary(start + TEXT_LIMIT - BYTES_AT_END - NOTE_LENGTH);
        let tail = text.ceil_char_boundary(text.len() - BYTES_AT_END);
        let between = text[head..tail].chars().count();
        format!(
            "{}\n[{between} characters are not compared]\n{}",
            &text[start..head],
            &text[tail..]
        )
    };
    Difference::new(part, before.map(window), after.map(window))
}

#[cfg(test)]
mod tests {
    use super::{TEXT_LIMIT, differences_of};
    use crate::model::Definition;
    use serde_json::json;

    fn definition() -> Definition {
        Definition::new("fs:read".parse().expect("a tool"), "Reads.", json!({ "type": "object" }))
    }

    fn parts(change: fn(&mut Definition)) -> Vec<(String, Vec<String>)> {
        let mut after = definition();
        change(&mut after);
        let differences = differences_of(&definition(), &after);
        // Definitions differ if and only if their digests do.
        assert_eq!(differences.is_empty(), definition().digest() == after.digest());
        differences.into_iter().map(|it| (it.part.clone(), it.lines())).collect()
    }

    #[test]
    fn every_part_that_differs_is_there_and_no_other() {
        let part = |name: &str, lines: &[&str]| {
            vec![(name.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())]
        };
        assert_eq!(parts(|_| ()), Vec::new());
        assert_eq!(
            parts(|d| d.description = "Reads all.".into()),
            part("description", &["Reads{+ all+}."])
        );
        assert_eq!(parts(|d| d.title = Some("R".into())), part("title", &["{+R+}"]));
        assert_eq!(
            parts(|d| d.input = json!({ "type": "object", "a": [] })),
            part("inputSchema", &["{", "{+  \"a\": [],⏎+}", "  \"type\": \"object\"", "}"])
        );
        assert_eq!(parts(|d| d.output = Some(json!(true))), part("outputSchema", &["{+true+}"]));
        assert_eq!(parts(|d| d.annotations.destructive_hint = Some(true))[0].0, "annotations");
    }

    #[test]
    fn another_order_of_keys_is_no_difference() {
        let (mut one, mut other) = (definition(), definition());
        one.input = json!({ "a": { "x": 1, "y": 2 }, "b": 3 });
        other.input = json!({ "b": 3, "a": { "y": 2, "x": 1 } });
        assert_eq!(differences_of(&one, &other), []);
    }

    #[test]
    fn large_definitions_are_bounded_and_show_where_they_begin_to_differ() {
        let (mut one, mut other) = (definition(), definition());
        let long = "é".repeat(200_000);
        (one.description, other.description) = (format!("{long} old"), format!("{long} new"));
        let differences = differences_of(&one, &other);
        let [difference] = differences.as_slice() else { panic!("{}", differences.len()) };
        assert!(difference.before.as_ref().is_some_and(|text| text.len() <= TEXT_LIMIT));
        assert!(difference.lines().concat().ends_with("[-old-]{+new+}"));
    }
}
