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
    let shown = anstream::adapter::strip_str(ours).to_string().width();
    let label = shown.saturating_sub(2);
    let label = if label > width * 2 / 3 { 2 } else { label };
    let mut wrapped = String::from(ours);
    let mut used: usize = shown;
    let mut line_start = wrapped.len();
    for c in theirs.chars() {
        if used + columns(c) > width {
            let rest = wrapped.split_off(line_start + word_start(&wrapped[line_start..]));
            wrapped += &format!("\n{:label$}{BAR}", "");
            line_start = wrapped.len();
            used = label + 2 + rest.chars().map(columns).sum::<usize>();
            wrapped += &rest;
        }
        wrapped.push(c);
        used += columns(c);
    }
    wrapped
}

/// Breaks a text of one line between words, so that its lines fit. A word that is too long is
/// broken.
pub(super) fn in_columns(text: &str, width: usize) -> Vec<String> {
    let width = width.max(LEAST);
    let of = |text: &str| text.chars().map(columns).sum::<usize>();
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if of(line) + 1 + of(word) <= width => *line += &format!(" {word}"),
            _ => lines.push(String::new()),
        }
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            push_broken(&mut lines, word, width);
        }
    }
    lines
}

/// Appends a word to the last line, which is empty, and to as many more as it needs.
fn push_broken(lines: &mut Vec<String>, word: &str, width: usize) {
    let mut used = 0;
    for c in word.chars() {
        if used + columns(c) > width {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
        used += columns(c);
    }
}

/// Returns where the last word of a line begins, or the end of the line if the word is long: then it
/// is broken. No character is left out.
fn word_start(line: &str) -> usize {
    let start = line.rfind(' ').map_or(line.len(), |blank| blank + 1);
    match line[start..].chars().count() * 3 > line.chars().count() {
        true => line.len(),
        false => start,
    }
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
    fn the_colours_of_a_label_take_no_columns() {
        let plain = wrap("result │ one two three four five", 24);
        let coloured = wrap("\u{1b}[32mresult\u{1b}[0m │ one two three four five", 24);
        assert_eq!(plain, "result │ one two three \n       │ four five");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    }

    #[test]
    fn a_line_breaks_between_words_and_nothing_is_left_out() {
        assert_eq!(
            wrap("why │ one two three four five six", 24),
            "why │ one two three \n    │ four five six"
        );
        let text = "why │ a  b ; rm -rf ~ and more of it, and so on";
        let parts: String =
            wrap(text, 24).lines().map(|line| &line[line.find('│').unwrap() + 4..]).collect();
        assert_eq!(parts, &text[text.find('│').unwrap() + 4..]);
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
