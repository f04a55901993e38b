//! Results that are too large for one answer: clients read them from the journal, part by part.

use super::answer::ToolAnswer;
use pml::json::value::RawValue;
use pml::json::{Value, json};
use pml::{Code, Ending, Engine, RunId, run::ErrorReport};

/// Results up to this many bytes are included in the answer; clients cut at some 100,000
/// characters.
pub(super) const MAX_INLINE: usize = 96 << 10;

/// Bytes of a larger result that are included in the answer.
const PREVIEW_SIZE: usize = 2 << 10;

/// Bytes of each further part.
const PART_SIZE: usize = 48 << 10;

/// Returns the fields that stand for a result that is too large.
pub(super) fn preview_fields(run: RunId, text: &str) -> Value {
    let mut part = part(text, 0, PREVIEW_SIZE);
    part["handle"] = json!(run);
    part
}

/// Reads the next part.
pub(super) async fn read(engine: &Engine, handle: &str, offset: usize) -> ToolAnswer {
    let text = match handle.parse::<RunId>() {
        Ok(run) => result(engine, run).await,
        Err(_) => None,
    };
    let Some(text) = text else {
        let message = "there is no such result, or it was forgotten";
        let mut error = ErrorReport::new(Code::HandleUnknown, message);
        error.error_type = "HandleError".into();
        error.hint = Some("run the program again".into());
        return ToolAnswer::error(&error);
    };
    let mut part = part(text.get(), offset, PART_SIZE);
    part["handle"] = handle.into();
    ToolAnswer::of_part(part)
}

/// Returns the result of a finished run from its journal.
async fn result(engine: &Engine, run: RunId) -> Option<Box<RawValue>> {
    let stored = engine.journal().load(run).await.ok()?;
    match Ending::read(stored.ending_text()?).ok()? {
        Ending::Finished(json) => json,
        _ => None,
    }
}

/// Returns a part of a text, cut between characters.
fn part(text: &str, offset: usize, size: usize) -> Value {
    let start = text.floor_char_boundary(offset.min(text.len()));
    let end = text.floor_char_boundary(start.saturating_add(size).min(text.len()));
    json!({
        "text": &text[start..end],
        "offset": start,
        "next_offset": (end < text.len()).then_some(end),
        "size": text.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_put_together_are_the_whole() {
        let text = "äöü€😀x".repeat(100);
        let (mut offset, mut whole) = (0, String::new());
        loop {
            let part = part(&text, offset, 7);
            whole += part["text"].as_str().expect("a text");
            match part["next_offset"].as_u64() {
                Some(next) => offset = next as usize,
                None => break,
            }
        }
        assert_eq!(whole, text);
        assert_eq!(part(&text, 1 << 40, 7)["text"], "");
    }
}
