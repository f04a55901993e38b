//! Makes foreign text safe and short enough to show to a person.
//!
//! **Invariant:** a text that is folded or has its blanks counted shows its end, and how much of it
//! is left out.

use crate::model::hidden_characters::{is_blank, is_hidden};
use std::borrow::Cow;

/// Blanks in a row that are shown as they are. More would push the following text out of sight.
const SHOWN_BLANKS: usize = 8;

/// Returns `text` with all characters escaped that control a terminal or that a person cannot see:
/// control characters except line end and tab, format characters (bidirectional overrides,
/// zero-width characters, tags), variation selectors and fillers, line separators, and characters
/// for private use.
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

/// Returns the text escaped and in one line: line ends and tabs are escaped too, and long rows of
/// blanks are replaced by their count.
pub fn in_one_line(text: &str) -> String {
    escape(&count_blanks(text)).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns the text with each row of more than eight blanks replaced by its count: `[40 blanks]`.
pub(crate) fn count_blanks(text: &str) -> Cow<'_, str> {
    let mut counted = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(start) = text[at..].find(is_blank).map(|found| at + found) {
        let row = text[start..].chars().take_while(|c| is_blank(*c));
        let (blanks, bytes) =
            row.fold((0, 0), |(blanks, bytes), c| (blanks + 1, bytes + c.len_utf8()));
        at = start + bytes;
        if blanks > SHOWN_BLANKS {
            counted += &text[copied..start];
            counted += &format!("[{} blanks]", thousands(blanks));
            copied = at;
        }
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(counted + &text[copied..]),
    }
}

/// Returns the text. If it has more than `limit` characters, returns its beginning and its end,
/// with the number of characters between them: `abc[… 12,345 characters …]xyz`. If there is no room
/// for the number, a `…` replaces it.
pub fn fold_middle(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.into();
    }
    // The number has at most as many digits as the number of all characters.
    let room = limit.saturating_sub(omission_mark(length).chars().count());
    let (room, mark) = match room {
        MIN_SHOWN.. => (room, omission_mark(length - room)),
        _ => (limit.saturating_sub(1), "…".into()),
    };
    let tail = room.div_ceil(2);
    let head = text.char_indices().nth(room - tail).map_or(text.len(), |(at, _)| at);
    let end = match tail {
        0 => text.len(),
        tail => text.char_indices().rev().nth(tail - 1).map_or(0, |(at, _)| at),
    };
    let folded = format!("{}{mark}{}", &text[..head], &text[end..]);
    if limit == 0 { String::new() } else { folded }
}

/// Characters of a text that must remain for the number to be shown between them.
const MIN_SHOWN: usize = 8;

fn omission_mark(characters: usize) -> String {
    format!("[… {} characters …]", thousands(characters))
}

/// Returns a number with separators: `12,345`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the text. If it has more than `limit` characters, cuts it and ends it with a `…`: only
/// for texts that no decision depends on.
pub fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.into(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).take(limit).collect(),
    }
}

/// Returns the text. If it is wider than `columns` of a terminal, cuts it and ends it with a `…`. A
/// mark without a width counts as one column, so that no number of them is shown.
pub fn cut_to_columns(text: &str, columns: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    let (mut used, mut last) = (0, 0);
    for (at, c) in text.char_indices() {
        let width = c.width().unwrap_or(1).max(1);
        if used + width > columns {
            return if columns == 0 { String::new() } else { format!("{}…", &text[..last]) };
        }
        used += width;
        // The cut text must leave a column for the `…`.
        if used < columns {
            last = at + c.len_utf8();
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::{count_blanks, cut, escape, fold_middle, in_one_line, thousands};

    #[test]
    fn what_is_too_long_is_cut_by_characters() {
        assert_eq!((cut("abcd", 3), cut("abc", 3)), ("ab…".into(), "abc".into()));
        assert_eq!((cut("äöü", 2), cut("abc", 0)), ("ä…".into(), String::new()));
    }

    #[test]
    fn cells_are_cut_by_columns() {
        use super::cut_to_columns;
        assert_eq!(
            (cut_to_columns("abcd", 3), cut_to_columns("abc", 3)),
            ("ab…".into(), "abc".into())
        );
        assert_eq!(
            (cut_to_columns("日本語", 6), cut_to_columns("日本語", 5)),
            ("日本語".into(), "日本…".into())
        );
        assert_eq!(
            (cut_to_columns("日本語", 4), cut_to_columns("日本", 1)),
            ("日…".into(), "…".into())
        );
        assert_eq!(
            (cut_to_columns("äöü", 2), cut_to_columns("abc", 0)),
            ("ä…".into(), String::new())
        );
        assert!(cut_to_columns(&"\u{301}".repeat(100), 10).chars().count() <= 10);
    }

    #[test]
    fn plain_text_is_left_alone() {
        assert!(matches!(escape("naïve 日本 🎉\n\tx"), std::borrow::Cow::Borrowed(_)));
        assert!(matches!(count_blanks("a  b\n\n    c"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn what_a_terminal_obeys_is_spelled_out() {
        assert_eq!(escape("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(escape("x\u{202e}y\u{200b}"), "x\\u{202e}y\\u{200b}");
        assert_eq!(escape("one\rtwo"), "one\\u{d}two");
        assert_eq!(escape("❤\u{fe0f}\u{3164}\u{e0041}"), "❤\\u{fe0f}\\u{3164}\\u{e0041}");
        assert_eq!(in_one_line("a\n\tb\u{2028}"), "a\\n\\tb\\u{2028}");
    }

    #[test]
    fn the_end_of_a_long_text_is_always_there() {
        let long = format!("begin{}end", "x".repeat(12_345));
        let folded = fold_middle(&long, 60);
        assert_eq!(
            folded,
            format!("begin{}[… 12,316 characters …]{}end", "x".repeat(13), "x".repeat(16))
        );
        assert_eq!(folded.chars().count(), 60);
        for limit in 1..200 {
            let folded = fold_middle(&long, limit);
            assert!(folded.chars().count() <= limit && folded.contains('…'), "{limit}: {folded}");
            assert!(limit < 3 || folded.ends_with('d'), "{limit}: {folded}");
        }
        assert_eq!((fold_middle("abc", 3), fold_middle("äöüß", 3)), ("abc".into(), "ä…ß".into()));
        assert_eq!((fold_middle("abc", 1), fold_middle("abc", 0)), ("…".into(), String::new()));
    }

    #[test]
    fn rows_of_blanks_are_counted() {
        assert_eq!(count_blanks(&format!("a{}b", " ".repeat(40))), "a[40 blanks]b");
        assert_eq!(
            count_blanks(&format!("{}b", "\n \t\u{a0}\u{3000}".repeat(2_000))),
            "[10,000 blanks]b"
        );
        assert_eq!(count_blanks("a        b"), "a        b");
        assert_eq!(count_blanks("a         "), "a[9 blanks]");
        assert_eq!(count_blanks(&"\u{2800}".repeat(9)), "[9 blanks]");
        assert_eq!(
            (thousands(0), thousands(999), thousands(1_234_567)),
            ("0".into(), "999".into(), "1,234,567".into())
        );
    }
}
