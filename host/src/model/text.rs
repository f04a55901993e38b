//! Hostile text, made safe to show to a person.

use std::borrow::Cow;

/// Returns `text` with everything escaped that a terminal obeys or an eye cannot see: control characters except line end
/// and tab, bidirectional overrides, zero-width and other hidden characters.
pub fn escape(text: &str) -> Cow<'_, str> {
    let deceptive = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(deceptive) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match deceptive(c) {
            true => escaped.extend(c.escape_unicode()),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Returns the text, or as much of it as `limit` characters hold with a `…` at the end.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.into(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).take(limit).collect(),
    }
}

/// Returns whether a character must not reach a person as it is.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{cut, escape};

    #[test]
    fn what_is_too_long_is_cut_by_characters() {
        assert_eq!((cut("abcd", 3), cut("abc", 3)), ("ab…".into(), "abc".into()));
        assert_eq!((cut("äöü", 2), cut("abc", 0)), ("ä…".into(), String::new()));
    }

    #[test]
    fn plain_text_is_left_alone() {
        assert!(matches!(escape("naïve 日本 🎉\n\tx"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn what_a_terminal_obeys_is_spelled_out() {
        assert_eq!(escape("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(escape("x\u{202e}y\u{200b}"), "x\\u{202e}y\\u{200b}");
        assert_eq!(escape("one\rtwo"), "one\\u{d}two");
    }
}
