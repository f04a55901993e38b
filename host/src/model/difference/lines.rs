//! A difference as lines, in the form of git's word diff: `[-old-]{+new+}`.

use super::escape_marks::{MarkContext, write_escaped};
use super::pieces::{DiffPiece, Difference};
use crate::model::thousands;

/// Characters of unchanged text that are shown on each side of a change.
const CONTEXT: usize = 60;

/// Characters of one change that are shown, half of them from its end: more than a person reads,
/// and few enough that later changes stay visible.
const CHANGE_LIMIT: usize = 4_000;

/// Lines in all, half of them the last ones.
const LINE_LIMIT: usize = 120;

/// Bytes in all, half of them from the last lines.
const BYTE_LIMIT: usize = 16_000;

impl Difference {
    /// Returns the difference as people read it; the list is empty if there is none. Removed text
    /// is shown as `[-old-]`, added text as `{+new+}`, and unchanged text only near these. Each
    /// line has its own marks. Every character that is invisible, or looks like another character
    /// or like a mark, is escaped as `\u{202e}`. The end of a removed or added line is a `⏎`, and
    /// omitted text is a `…`. A text that is too long is folded in its middle, so that its end is
    /// shown.
    pub fn lines(&self) -> Vec<String> {
        let pieces = self.pieces();
        let is_change = |piece: &DiffPiece| !matches!(piece, DiffPiece::Same(_));
        let changes = pieces.iter().filter(|piece| is_change(piece)).count();
        let mut lines = DiffLines::default();
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                DiffPiece::Same(text) => {
                    let edges = (index > 0, index + 1 < pieces.len());
                    if changes > 0 {
                        lines.unchanged(text, edges);
                    }
                }
                DiffPiece::Removed(text) => {
                    let beside = match pieces.get(index + 1) {
                        Some(DiffPiece::Added(added)) => added.as_str(),
                        _ => "",
                    };
                    lines.changed(text, beside, ["[-", "-]"]);
                }
                DiffPiece::Added(text) => {
                    let beside = match index.checked_sub(1).and_then(|before| pieces.get(before)) {
                        Some(DiffPiece::Removed(removed)) => removed.as_str(),
                        _ => "",
                    };
                    lines.changed(text, beside, ["{+", "+}"]);
                }
            }
        }
        lines.finish()
    }
}

/// The lines that are written so far.
#[derive(Default)]
struct DiffLines {
    lines: Vec<String>,
    line: String,
}

impl DiffLines {
    /// Writes unchanged text; `edges` tells whether there is a change before and after it.
    fn unchanged(&mut self, text: &str, (before, after): (bool, bool)) {
        let end = if before { offset_of(text, CONTEXT) } else { 0 };
        let start = if after { offset_from_end(text, CONTEXT) } else { text.len() };
        if start <= end {
            return self.write(text, ["", ""], MarkContext::Same);
        }
        self.write(&text[..end], ["", ""], MarkContext::Same);
        // Omitted whole lines get a line of their own.
        let lines = text[end..start].contains('\n') && before && after;
        if lines {
            self.end_line();
        }
        self.line.push('…');
        if lines {
            self.end_line();
        }
        self.write(&text[start..], ["", ""], MarkContext::Same);
    }

    fn changed(&mut self, text: &str, beside: &str, marks: [&str; 2]) {
        let latin = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
        let context = MarkContext::Changed { among_latin: latin(text) || latin(beside) };
        let (head, tail) =
            (offset_of(text, CHANGE_LIMIT / 2), offset_from_end(text, CHANGE_LIMIT / 2));
        if tail <= head {
            return self.write(text, marks, context);
        }
        self.write(&text[..head], marks, context);
        let [open, close] = marks;
        let left_out = thousands(text[head..tail].chars().count());
        self.line.push_str(&format!("{open}… {left_out} characters …{close}"));
        self.write(&text[tail..], marks, context);
    }

    /// Writes a text, each of its lines between marks.
    fn write(&mut self, text: &str, [open, close]: [&str; 2], context: MarkContext) {
        for part in text.split_inclusive('\n') {
            let (part, ends) = part.strip_suffix('\n').map_or((part, false), |part| (part, true));
            self.line.push_str(open);
            write_escaped(part, context, &mut self.line);
            // A line end is part of the change.
            if ends && context != MarkContext::Same {
                self.line.push('⏎');
            }
            self.line.push_str(close);
            if ends {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
    }

    fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.end_line();
        }
        // As many lines as fit from either end, and at least the first and the last.
        let fits = |lines: &mut dyn Iterator<Item = &String>| {
            let mut bytes = 0;
            let small = |line: &&String| {
                bytes += line.len();
                bytes <= BYTE_LIMIT / 2
            };
            lines.take(LINE_LIMIT / 2).take_while(small).count().max(1)
        };
        let all = self.lines.len();
        let (head, tail) = (fits(&mut self.lines.iter()), fits(&mut self.lines.iter().rev()));
        let left_out = all.saturating_sub(head + tail);
        if left_out > 0 {
            let folded = match left_out {
                1 => "… 1 line is not shown …".into(),
                more => format!("… {} lines are not shown …", thousands(more)),
            };
            self.lines.splice(head..all - tail, [folded]);
        }
        self.lines
    }
}

/// Returns the position behind this many characters.
fn offset_of(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}

/// Returns the position of this many characters before the end.
fn offset_from_end(text: &str, characters: usize) -> usize {
    text.char_indices().rev().nth(characters.saturating_sub(1)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::{BYTE_LIMIT, Difference, LINE_LIMIT};

    fn lines(before: &str, after: &str) -> Vec<String> {
        let lines = Difference::new("x", Some(before.into()), Some(after.into())).lines();
        for line in &lines {
            assert!(!line.contains(|c: char| c == '\n' || crate::model::is_hidden(c)), "{line:?}");
        }
        lines
    }

    #[test]
    fn words_that_went_and_came_are_marked() {
        assert_eq!(lines("Reads a file.", "Reads a secret."), ["Reads a [-file-]{+secret+}."]);
        assert_eq!(lines("a b", "a b c"), ["a b{+ c+}"]);
        assert_eq!(lines("one\ntwo\nthree", "one\n2\nthree"), ["one", "[-two-]{+2+}", "three"]);
        assert_eq!(lines("a", "a\nb\nc"), ["a{+⏎+}", "{+b⏎+}", "{+c+}"]);
        assert_eq!(lines("same", "same"), Vec::<String>::new());
        assert_eq!(Difference::new("x", None, Some("n".into())).lines(), ["{+n+}"]);
    }

    #[test]
    fn a_text_that_looks_the_same_shows_where_it_is_not() {
        for (before, after, shown) in [
            ("Reads a file.", "Reads a fіle.", "Reads a [-file-]{+f\\u{456}le+}."),
            ("Reads a file.", "Reads a fi\u{200b}le.", "Reads a [-file-]{+fi\\u{200b}le+}."),
            ("Reads a file.", "Reads a file.\u{202e}", "Reads a file.{+\\u{202e}+}"),
            ("Reads a file.", "Reads a\u{a0}file.", "Reads a[- -]{+\\u{a0}+}file."),
            ("Reads a file.", "Ｒeads a file.", "[-Reads-]{+\\u{ff32}eads+} a file."),
            ("caf\u{e9}", "cafe\u{301}", "[-café-]{+cafe\\u{301}+}"),
            ("pay", "рау", "[-pay-]{+\\u{440}\\u{430}\\u{443}+}"),
            ("a\u{e0041}", "a", "a[-\\u{e0041}-]"),
            ("a\r\nb", "a\nb", "a[-\\u{d}-]"),
        ] {
            assert_eq!(lines(before, after)[0], shown);
        }
    }

    #[test]
    fn no_server_writes_marks_that_pass_for_ours() {
        let shown = lines("Reads.", "Reads. {+nothing changed+} [-x-] \\u{202e}");
        assert_eq!(
            shown,
            ["Reads.{+ \\u{7b}+nothing changed+\\u{7d} \\u{5b}-x-\\u{5d} \\u{5c}u{202e}+}"]
        );
        let shown = lines("a", "a}b{");
        assert_eq!(shown, ["a{+\\u{7d}b\\u{7b}+}"]);
        // Marks in unchanged text are escaped too.
        assert_eq!(lines("{+x+} a", "{+x+} b"), ["\\u{7b}+x+\\u{7d} [-a-]{+b+}"]);
    }

    #[test]
    fn what_stayed_is_shortened() {
        let long = "word ".repeat(100);
        let shown = lines(&format!("{long}old {long}"), &format!("{long}new {long}"));
        assert_eq!(shown.len(), 1);
        assert!(shown[0].starts_with('…') && shown[0].ends_with('…'), "{shown:?}");
        assert!(shown[0].contains("word [-old-]{+new+} word"), "{shown:?}");
        assert!(shown[0].chars().count() < 200, "{shown:?}");
        let rows = "row\n".repeat(100);
        let shown = lines(&format!("a\n{rows}b"), &format!("A\n{rows}B"));
        assert_eq!(shown[0], "[-a-]{+A+}");
        assert!(shown.contains(&"…".to_owned()) && shown.len() < 40, "{shown:?}");
    }

    #[test]
    fn a_flood_is_folded_and_its_end_is_shown() {
        let shown = lines("", &format!("{}and sends it away", "evil ".repeat(10_000)));
        assert!(shown[0].contains("{+… 46,017 characters …+}"), "{}", shown.join("\n").len());
        assert!(shown[0].ends_with("evil and sends it away+}"), "{}", shown.join("\n").len());
        let flood = |word: &str| (0..5_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let shown = lines(&flood("a"), &format!("{}last", flood("b")));
        assert!(shown.len() <= LINE_LIMIT + 2, "{}", shown.len());
        assert!(shown.concat().len() <= BYTE_LIMIT + 10_000);
        assert!(shown.iter().any(|line| line.contains(" lines are not shown …")), "{shown:?}");
        assert!(shown.last().is_some_and(|line| line.ends_with("last+}")), "{:?}", shown.last());
    }
}
