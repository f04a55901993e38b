//! Shows a few lines of the user's text around a position to a person.
//!
//! Input: a text and a [`Position`]. Output: a [`CodeFrame`], whose `Display` is plain text without
//! colour. **Invariant:** the shown text is escaped and each line is bounded, even if the source is
//! hostile or long.

use std::fmt;

use super::position::{LineIndex, Position, utf16_column};
use super::redact::Redactor;
use super::text::escape;
use unicode_width::UnicodeWidthStr;

/// Columns of source shown for each line: wide enough for code, narrow enough for a terminal with
/// its gutter.
const WIDTH: usize = 120;
/// The text that a tab is drawn as.
const TAB: &str = "    ";

/// Source lines around a position, ready to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFrame {
    position: Position,
    lines: Vec<(u32, String)>,
    caret: usize,
}

impl CodeFrame {
    /// Returns the frame of `position` in `text`, or `None` if the text has no such line.
    pub(crate) fn new(text: &str, position: &Position) -> Option<Self> {
        let lines = LineIndex::new(text);
        let marked = lines.line(position.line)?;
        let (start, caret) = window(marked, position.column);
        let mut shown = Vec::with_capacity(3);
        for number in
            [position.line.saturating_sub(1), position.line, position.line.saturating_add(1)]
        {
            if let Some(line) = lines.line(number) {
                let from = if number == position.line { start } else { 0 };
                // An empty line at the edge is not useful.
                if number == position.line || !line.trim().is_empty() {
                    shown.push((number, draw_line(line, from)));
                }
            }
        }
        Some(Self { position: position.clone(), lines: shown, caret })
    }

    /// Returns the frame of one line, with secrets hidden by `redactor`. `before` is the text before
    /// the position, `rest` is the text from there on.
    pub(crate) fn of_line(
        position: Position,
        before: &str,
        rest: &str,
        redactor: &Redactor,
    ) -> CodeFrame {
        // A name before the position may show that the text behind it is a secret.
        let line = redactor.redact_text(&format!("{before}{rest}")).into_owned();
        let before = redactor.redact_text(before);
        let same = line.char_indices().zip(before.chars()).take_while(|((_, a), b)| a == b);
        let end = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
        let (start, caret) = window(&line, utf16_column(&line, end));
        let lines = vec![(position.line, draw_line(&line, start))];
        CodeFrame { position, lines, caret }
    }

    /// Returns the position that the frame points at.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

/// Returns the index of the first shown character of the marked line, and the drawn column of the
/// caret.
fn window(line: &str, column: u32) -> (usize, usize) {
    let units = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    let mut units_read = 0;
    let before: String = line
        .chars()
        .take_while(|c| {
            units_read += c.len_utf16();
            units_read <= units
        })
        .collect();
    let index = before.chars().count();
    match fitting_end(&before, WIDTH * 3 / 4) {
        (shown, columns) if shown == index => (0, columns),
        _ => {
            let (shown, columns) = fitting_end(&before, WIDTH / 2);
            // One column more for the `…` in place of the omitted text.
            (index - shown, columns + 1)
        }
    }
}

/// Returns how many characters at the end of a text fit into `limit` columns, and the number of
/// columns that they take.
fn fitting_end(text: &str, limit: usize) -> (usize, usize) {
    let (mut shown, mut used) = (0, 0);
    for c in text.chars().rev() {
        let columns = draw_character(c).1;
        if used + columns > limit {
            break;
        }
        (shown, used) = (shown + 1, used + columns);
    }
    (shown, used)
}

fn draw_line(line: &str, start: usize) -> String {
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    let mut used = 0;
    for c in line.chars().skip(start) {
        let (text, columns) = draw_character(c);
        used += columns;
        if used > WIDTH {
            out.push('…');
            break;
        }
        out.push_str(&text);
    }
    out
}

/// Returns a character as it is drawn, and the number of columns that it takes. A mark without a
/// width counts as one column, so that their number is bounded too.
fn draw_character(c: char) -> (String, usize) {
    let text = match c {
        '\t' => TAB.to_owned(),
        c => escape(c.encode_utf8(&mut [0; 4])).into_owned(),
    };
    let columns = text.width().max(1);
    (text, columns)
}

impl fmt::Display for CodeFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter =
            self.lines.iter().map(|(number, _)| number.to_string().len()).max().unwrap_or(1);
        writeln!(f, "{:gutter$} ╭─[{}]", "", self.position)?;
        for (index, (number, line)) in self.lines.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{number:>gutter$} │ {}", line.trim_end())?;
            if *number == self.position.line {
                write!(f, "\n{:gutter$} · {:caret$}╵", "", "", caret = self.caret)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str, line: u32, column: u32) -> String {
        let position = Position { module: "hello.ts".into(), line, column };
        CodeFrame::new(text, &position).unwrap().to_string()
    }

    #[test]
    fn points_at_the_column_with_one_line_around() {
        assert_eq!(
            frame("// one\nconst a = 1\nthrow new Error(\"x\")\nlast\nmore", 3, 7),
            "  ╭─[hello.ts:3:7]\n2 │ const a = 1\n3 │ throw new Error(\"x\")\n  ·       ╵\n4 │ last"
        );
    }

    #[test]
    fn gutter_grows_with_line_numbers() {
        let text = "x\n".repeat(10);
        assert_eq!(frame(&text, 9, 1), "   ╭─[hello.ts:9:1]\n 8 │ x\n 9 │ x\n   · ╵\n10 │ x");
    }

    #[test]
    fn tabs_and_hidden_characters_keep_the_caret_in_place() {
        assert_eq!(
            frame("\t\u{202e}x", 1, 3),
            "  ╭─[hello.ts:1:3]\n1 │     \\u{202e}x\n  ·             ╵"
        );
    }

    #[test]
    fn wide_characters_keep_the_caret_in_place() {
        assert_eq!(frame("日本x", 1, 3), "  ╭─[hello.ts:1:3]\n1 │ 日本x\n  ·     ╵");
        let text = format!("{}!{}", "日".repeat(500), "本".repeat(500));
        let shown = frame(&text, 1, 501);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].width() < 130, "{shown}");
        let columns = |line: &str, mark| line.split(mark).next().map(UnicodeWidthStr::width);
        assert_eq!(columns(lines[1], '!'), columns(lines[2], '╵'), "{shown}");
    }

    #[test]
    fn a_line_with_a_secret_is_shown_without_it_and_the_caret_stays() {
        let frame = |before: &str, rest: &str| {
            let position = Position { module: ".pml.json".into(), line: 7, column: 3 };
            CodeFrame::of_line(position, before, rest, &Redactor::new()).to_string()
        };
        assert_eq!(
            frame("{ \"token\": \"abc\", ", "\"x\": 1 }"),
            "  ╭─[.pml.json:7:3]\n7 │ { \"token\": \"[hidden: 3 characters]\", \"x\": 1 }\n  \
             ·                                      ╵"
        );
        let at_the_secret = frame("{ \"token\": ", "\"abc\" }");
        assert!(!at_the_secret.contains("abc"), "{at_the_secret}");
        assert!(at_the_secret.ends_with("\n  ·            ╵"), "{at_the_secret}");
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let text = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let shown = frame(&text, 1, 501);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].chars().count() < 130, "{shown}");
        let caret = lines[2].chars().position(|c| c == '╵').unwrap();
        assert_eq!(lines[1].chars().nth(caret), Some('!'), "{shown}");
    }

    #[test]
    fn columns_past_the_end_and_missing_lines_do_not_panic() {
        assert!(frame("ab", 1, 99).contains("ab"));
        let position = Position { module: "m".into(), line: 9, column: 1 };
        assert_eq!(CodeFrame::new("ab", &position), None);
    }
}
