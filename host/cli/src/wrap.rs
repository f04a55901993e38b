//! Wraps lines that contain text from others. If the terminal wrapped them, its next line would
//! begin with that text and could be mistaken for a line of pml.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Separates pml's text from text of others, as in `lines_of_ask`.
const BAR: &str = "│ ";

/// Smallest width; wrapping at less makes no sense.
const LEAST: usize = 20;

/// Wraps a line at `width` columns. Text after its first bar continues behind a bar.
pub(super) fn wrap(line: &str, width: usize) -> String {
    let width = width.max(LEAST);
    let (ours, theirs) = match line.find(BAR) {
        Some(at) => line.split_at(at + BAR.len()),
        None => ("", line),
    };
    // A label that is too long would leave no room beside it.
    let label = ours.width().saturating_sub(2);
    let label = if label > width / 2 { 2 } else { label };
    let mut wrapped = String::from(ours);
    let mut used: usize = ours.width();
    for c in theirs.chars() {
        if used + columns(c) > width {
            wrapped += &format!("\n{:label$}{BAR}", "");
            used = label + 2;
        }
        wrapped.push(c);
        used += columns(c);
    }
    wrapped
}

/// Returns the most columns that a character can take. Where terminals differ, the larger value is
/// used, and a character without width counts as one column; too large a value does no harm.
fn columns(c: char) -> usize {
    match c {
        // pml's own character: it replaces a cut part of a text.
        '…' => 1,
        c => c.width_cjk().unwrap_or(1).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::wrap;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn no_line_begins_with_words_of_others() {
        let wrapped = wrap(&format!("tool │ {}", "x".repeat(50)), 30);
        let expected = format!("tool │ {0}\n     │ {0}\n     │ {1}", "x".repeat(23), "x".repeat(4));
        assert_eq!(wrapped, expected);
        assert_eq!(wrap("tool │ short", 30), "tool │ short");
    }

    #[test]
    fn wide_characters_and_long_labels_fit_too() {
        for line in [
            "a │ 日本日本日本日本日本日本日本日本".to_owned(),
            format!("{} │ {}", "o".repeat(60), "x".repeat(90)),
        ] {
            let wrapped = wrap(&line, 40);
            assert!(
                wrapped.lines().skip(1).all(|line| line.trim_start().starts_with("│ ")),
                "{wrapped}"
            );
            assert!(wrapped.lines().skip(1).all(|line| line.width() <= 40), "{wrapped}");
        }
    }
}
