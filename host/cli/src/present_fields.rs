//! Fields of `--json` documents: one that has nothing to say is left out, and is never null.

use pml::json::Value;

/// Returns an object without its fields that are null. Only its own fields: data of programs and
/// servers inside it may have null as a value.
pub(crate) fn present_fields(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

#[cfg(test)]
mod tests {
    use super::present_fields;
    use pml::json::json;

    #[test]
    fn absent_fields_are_left_out_and_data_is_kept() {
        let object = json!({ "a": null, "b": { "c": null }, "d": [null] });
        assert_eq!(present_fields(object), json!({ "b": { "c": null }, "d": [null] }));
    }
}
