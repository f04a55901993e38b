//! Formats rows of cells as aligned columns.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

/// A cell: its text and its style.
pub(super) struct TableCell {
    pub(super) text: String,
    pub(super) style: Style,
}

impl TableCell {
    pub(super) fn plain(text: impl Into<String>) -> TableCell {
        TableCell { text: text.into(), style: Style::new() }
    }

    pub(super) fn styled(text: impl Into<String>, style: Style) -> TableCell {
        TableCell { text: text.into(), style }
    }
}

/// Returns the rows as lines. Each column is as wide as its widest cell, and the last cell of a row
/// is not padded.
pub(super) fn table(rows: &[Vec<TableCell>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let line = |row: &Vec<TableCell>| {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let TableCell { text, style } = cell;
            line += &format!("{style}{text}{style:#}");
            if index + 1 < row.len() {
                line += &" ".repeat(width - text.width() + 2);
            }
        }
        line
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{TableCell, table};

    #[test]
    fn columns_line_up() {
        let row =
            |first: &str, second: &str| vec![TableCell::plain(first), TableCell::plain(second)];
        assert_eq!(table(&[row("a", "b"), row("äöü", "c")]), ["a    b", "äöü  c"]);
        assert_eq!(table(&[row("abcd", "b"), row("日本", "c")]), ["abcd  b", "日本  c"]);
        assert_eq!(table(&[row("ab", "b"), row("e\u{301}x", "c")]), ["ab  b", "e\u{301}x  c"]);
    }
}
