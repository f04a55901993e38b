//! Replaces pictures, sounds and files in a result by their type and size, for output on a
//! terminal, where their bytes would be shown as base64.

use super::quantity::size;
use pml::json::Value;

/// Longest media type that is shown.
const TYPE_LENGTH: usize = 80;

/// Replaces the data of media by a name with type and size. Everything else stays as it is.
pub(super) fn name_media(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(name_media),
        Value::Object(fields) => {
            let is_media = matches!(
                fields.get("type").and_then(Value::as_str),
                Some("image" | "audio") if fields.contains_key("mimeType")
            );
            let key = if is_media { "data" } else { "blob" };
            // `blob` is the data of a resource only if there is a `uri` beside it.
            let named = is_media || fields.contains_key("uri");
            let kind = fields.get("mimeType").and_then(Value::as_str).unwrap_or("unknown type");
            let kind = pml::text::cut(kind, TYPE_LENGTH);
            match fields.get_mut(key) {
                Some(Value::String(data)) if named => {
                    let name = format!("[{kind}, {}]", size(decoded_size(data)));
                    *data = name;
                }
                _ => fields.values_mut().for_each(name_media),
            }
        }
        _ => {}
    }
}

/// Returns how many bytes a base64 text encodes.
fn decoded_size(text: &str) -> u64 {
    let letters = text.trim_end_matches('=').len() as u64;
    letters * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::name_media;
    use pml::json::json;

    #[test]
    fn media_is_named_and_the_rest_stays() {
        let mut result = json!([
            { "type": "text", "text": "a dot" },
            { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "file:///a", "blob": "AAAA" } },
            { "type": "image", "data": "mine" },
            { "blob": "mine" },
        ]);
        name_media(&mut result);
        assert_eq!(
            result,
            json!([
                { "type": "text", "text": "a dot" },
                { "type": "image", "data": "[image/png, 8 B]", "mimeType": "image/png" },
                { "type": "resource", "resource": { "uri": "file:///a", "blob": "[unknown type, 3 B]" } },
                { "type": "image", "data": "mine" },
                { "blob": "mine" },
            ])
        );
    }
}
