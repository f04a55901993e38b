//! Moves pictures, sounds and resources from a program's result into content blocks.

use pml::json::{Value, json};
use rmcp::model::ContentBlock;

/// Maximum number of blocks: clients do not show more.
const MAX_BLOCKS: usize = 20;

/// Moves media out of a result, and leaves a reference to the block in each place. Links and the
/// texts of resources also remain in the result.
pub(super) fn extract(result: &mut Value) -> Vec<ContentBlock> {
    let mut blocks = Vec::new();
    walk(result, &mut blocks);
    blocks
}

fn walk(value: &mut Value, blocks: &mut Vec<ContentBlock>) {
    if blocks.len() >= MAX_BLOCKS {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, blocks)),
        Value::Object(_) => {
            let Some(kind) = kind(value) else {
                if let Value::Object(fields) = value {
                    fields.values_mut().for_each(|field| walk(field, blocks));
                }
                return;
            };
            let heavy = kind == BlockKind::Media || value["resource"]["blob"].is_string();
            let Ok(block) = serde_json::from_value::<ContentBlock>(value.clone()) else { return };
            if heavy {
                let mime = value.get("mimeType").or(value["resource"].get("mimeType")).cloned();
                *value =
                    json!({ "type": value["type"], "mimeType": mime, "block": blocks.len() + 1 });
            }
            blocks.push(block);
        }
        _ => {}
    }
}

#[derive(PartialEq, Eq)]
enum BlockKind {
    Media,
    Resource,
}

/// Returns the kind of a content block, or `None` if the object is plain text or no block.
fn kind(value: &Value) -> Option<BlockKind> {
    match value["type"].as_str()? {
        "image" | "audio" if value["data"].is_string() && value["mimeType"].is_string() => {
            Some(BlockKind::Media)
        }
        "resource" if value["resource"]["uri"].is_string() => Some(BlockKind::Resource),
        "resource_link" if value["uri"].is_string() && value["name"].is_string() => {
            Some(BlockKind::Resource)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::extract;
    use pml::json::json;

    #[test]
    fn a_picture_is_handed_on_and_named_where_it_was() {
        let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
        let mut result = json!({ "shot": image, "note": { "type": "image", "size": 3 } });
        let blocks = extract(&mut result);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].as_image().map(|image| image.data.as_str()), Some("aGk="));
        assert_eq!(
            result,
            json!({
                "shot": { "type": "image", "mimeType": "image/png", "block": 1 },
                "note": { "type": "image", "size": 3 },
            })
        );
    }

    #[test]
    fn links_are_handed_on_and_stay() {
        let link = json!({ "type": "resource_link", "uri": "file:///a", "name": "a" });
        let mut result = json!([link, { "type": "text", "text": "t" }]);
        let blocks = extract(&mut result);
        assert_eq!(blocks.len(), 1);
        assert_eq!(result[0], link);
    }
}
