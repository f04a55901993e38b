//! Lines with others' words in them, wrapped by us: a terminal that wraps them would begin its next
//! line with those words.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Stands between our words and those of others, as in `lines_of_ask`.
const BAR: &str = "│ ";

/// The least that a line must hold for wrapping to make sense.
const LEAST: usize = 20;

/// Wraps a line at `width` columns. What follows its first bar goes on behind a bar.
pub(super) fn wrap(line: &str, width: usize) -> String {
    let width = width.max(LEAST);
    let (ours, theirs) = match line.find(BAR) {
        Some(at) => line.split_at(at + BAR.len()),
        None => ("", line),
    };
    // Our own words may be too many to leave room beside them.
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

/// Returns how many columns a character takes at most. Too many does no harm: where terminals
/// differ, the wider reading counts, and a mark without a width counts too.
fn columns(c: char) -> usize {
    match c {
        // Ours: it stands where others' words were folded.
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
