//! Makes text from a program safe to show: control, bidi and zero-width characters become `\u{…}`.
//!
//! Input: hostile text. Output: text that cannot move the cursor, reorder a line, or hide
//! characters in it. **Invariant:** the output contains no character for which [`is_hidden`] is
//! true.

use crate::model::is_hidden;
use std::fmt::Write as _;

/// Appends one character to `out`, escaped if it is hidden.
pub(super) fn push_escaped(out: &mut String, c: char) {
    if is_hidden(c) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    } else {
        out.push(c);
    }
}

/// Returns `text` escaped and cut to at most `limit` characters of the original.
pub(super) fn escaped(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    let mut characters = text.chars();
    for c in characters.by_ref().take(limit) {
        push_escaped(&mut out, c);
    }
    if characters.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_spelled_out() {
        assert_eq!(
            escaped("a\u{202e}b\u{200b}\u{1b}[0m\n", 100),
            "a\\u{202e}b\\u{200b}\\u{1b}[0m\\u{a}"
        );
        assert_eq!(escaped("plain ünï 漢", 100), "plain ünï 漢");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(escaped("abcdef", 3), "abc…");
        assert_eq!(escaped("abc", 3), "abc");
    }
}
