//! JavaScript text on its way out. It may hold half of a surrogate pair, which UTF-8 cannot.
//!
//! Cutting a text in the middle of an emoji is an ordinary accident, and must cost no more than that character: half a pair
//! becomes U+FFFD.

use rquickjs::{String as Text, qjs};

/// Returns the text as UTF-8.
pub(crate) fn lossy(text: &Text<'_>) -> String {
    if let Ok(text) = text.to_string() {
        return text;
    }
    let ctx = text.ctx().as_raw().as_ptr();
    let mut length = 0;
    // SAFETY: the value is live; the bytes stay until they are freed below, and are copied before.
    unsafe {
        let bytes = qjs::JS_ToCStringLen(ctx, &mut length, text.as_value().as_raw());
        if bytes.is_null() {
            return String::new();
        }
        let copy = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
        let copy = String::from_utf8_lossy(copy).into_owned();
        qjs::JS_FreeCString(ctx, bytes);
        copy
    }
}

/// Returns what `JSON.stringify` gave as JSON that every reader takes: it writes half a pair as an escape, which strict readers
/// refuse.
pub(crate) fn json(text: &Text<'_>) -> String {
    let json = lossy(text);
    match json.contains("\\ud") {
        true => mend(json),
        false => json,
    }
}

/// Replaces escapes of half a pair. `JSON.stringify` writes whole pairs as they are, so every `\ud8…` to `\udf…` is a half.
fn mend(json: String) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let escape = &rest.as_bytes()[at..];
        let half = escape.len() >= 6
            && &escape[..3] == b"\\ud"
            && matches!(escape[3], b'8'..=b'9' | b'a'..=b'f');
        mended.push_str(&rest[..at]);
        mended.push_str(if half { "\\ufffd" } else { &rest[at..at + 2] });
        rest = &rest[at + if half { 6 } else { 2 }..];
    }
    mended.push_str(rest);
    mended
}

#[cfg(test)]
mod tests {
    use super::mend;

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        assert_eq!(
            mend(r#"["\ud83d","\\ud83d","\ud7ff","\udfff\n"]"#.into()),
            r#"["\ufffd","\\ud83d","\ud7ff","\ufffd\n"]"#
        );
    }
}
