//! Hostile text, made safe to show to a person.

use std::borrow::Cow;

/// Returns `text` with everything escaped that a terminal obeys or an eye cannot see: control characters except line end
/// and tab, bidirectional overrides, zero-width characters.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_deceptive(c) {
            true => escaped.extend(c.escape_unicode()),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn is_deceptive(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

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
