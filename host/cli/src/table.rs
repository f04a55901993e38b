//! Formats rows of cells as aligned columns.

use anstyle::Style;
use pml::text::cut_to_columns;
use unicode_width::UnicodeWidthStr;

/// Columns between two cells.
const GAP: usize = 2;

/// Fewest columns that a cell is cut to; with less, nothing of it can be recognised.
const LEAST: usize = 8;

/// A cell: its text, in parts with a style each.
pub(super) struct TableCell {
    parts: Vec<(String, Style)>,
}

impl TableCell {
    pub(super) fn plain(text: impl Into<String>) -> TableCell {
        TableCell::styled(text, Style::new())
    }

    pub(super) fn styled(text: impl Into<String>, style: Style) -> TableCell {
        TableCell { parts: vec![(text.into(), style)] }
    }

    /// Returns a cell whose parts have styles of their own.
    pub(super) fn of_parts(parts: Vec<(String, Style)>) -> TableCell {
        TableCell { parts }
    }

    /// Returns the number of columns that it takes.
    pub(super) fn width(&self) -> usize {
        self.parts.iter().map(|(text, _)| text.width()).sum()
    }

    /// Returns the text with its colours, cut to `limit` columns, and the columns that it takes.
    fn drawn(&self, limit: usize) -> (String, usize) {
        let (mut line, mut used) = (String::new(), 0);
        for (text, style) in &self.parts {
            let text = match text.width() <= limit - used {
                true => text.clone(),
                false => cut_to_columns(text, limit - used),
            };
            used += text.width();
            line += &format!("{style}{text}{style:#}");
        }
        (line, used)
    }
}

/// Returns the rows as lines. Each column is as wide as its widest cell, and the last cell of a row
/// is not padded. If `width` is given, the widest columns are cut until a line fits into it.
pub(super) fn table(rows: &[Vec<TableCell>], width: Option<usize>) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(TableCell::width).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    if let Some(width) = width {
        let room = width.saturating_sub(columns.saturating_sub(1) * GAP);
        while widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(most) if *most > LEAST => *most -= 1,
                _ => break,
            }
        }
    }
    let line = |row: &Vec<TableCell>| {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let (text, used) = cell.drawn(*width);
            line += &text;
            if index + 1 < row.len() {
                line += &" ".repeat(width - used + GAP);
            }
        }
        line
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{TableCell, table};
    use unicode_width::UnicodeWidthStr;

    fn row(first: &str, second: &str) -> Vec<TableCell> {
        vec![TableCell::plain(first), TableCell::plain(second)]
    }

    #[test]
    fn columns_line_up() {
        assert_eq!(table(&[row("a", "b"), row("äöü", "c")], None), ["a    b", "äöü  c"]);
        assert_eq!(table(&[row("abcd", "b"), row("日本", "c")], None), ["abcd  b", "日本  c"]);
        let marks = [row("ab", "b"), row("e\u{301}x", "c")];
        assert_eq!(table(&marks, None), ["ab  b", "e\u{301}x  c"]);
    }

    #[test]
    fn the_widest_columns_are_cut_to_the_width_and_a_pipe_gets_everything() {
        let rows = [row(&"日本".repeat(20), "short"), row("a", &"x".repeat(60))];
        let lines = table(&rows, Some(40));
        assert!(lines.iter().all(|line| line.width() <= 40), "{lines:#?}");
        assert!(lines[0].starts_with("日本日本日本日本日…"), "{lines:#?}");
        assert!(lines[1].ends_with("xxx…"), "{lines:#?}");
        assert_eq!(table(&rows, None)[1].width(), 80 + 2 + 60);
        assert_eq!(table(&rows, Some(200)), table(&rows, None));
    }

    #[test]
    fn parts_of_a_cell_have_colours_of_their_own() {
        let red = anstyle::AnsiColor::Red.on_default();
        let cell = TableCell::of_parts(vec![("ab".into(), red), ("cd".into(), red.bold())]);
        let lines = table(&[vec![cell, TableCell::plain("x")]], None);
        assert_eq!(lines, ["\u{1b}[31mab\u{1b}[0m\u{1b}[1m\u{1b}[31mcd\u{1b}[0m  x"]);
    }
}
