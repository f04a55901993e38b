//! Positions in the user's text, and the index that turns byte offsets into them.
//!
//! Input: byte offsets (from the parser) and line plus byte column (from the guest). Output:
//! [`Position`]. **Invariant:** lines and columns are 1-based; columns count UTF-16 units, as
//! editors do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A position in one of the program's modules, or in a settings file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The name of the module or of the file.
    pub module: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in UTF-16 units, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.module, self.line, self.column)
    }
}

/// The line starts of one text. A line ends at `\n`, `\r\n` or a lone `\r`.
pub(crate) struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Builds the index of `text`.
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => starts.push(at + 1),
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => starts.push(at + 1),
                _ => {}
            }
        }
        Self { text, starts }
    }

    /// Returns the text of a 1-based line without its line end.
    pub(crate) fn line(&self, line: u32) -> Option<&'t str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// Returns the byte offset of a 1-based line and a 1-based byte column.
    pub(crate) fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        u32::try_from(*self.starts.get(index)?).ok()?.checked_add(column.checked_sub(1)?)
    }

    /// Returns the 1-based line of a byte offset and the byte offset within that line.
    pub(crate) fn locate(&self, offset: usize) -> (u32, usize) {
        let index = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(index).copied().unwrap_or(0);
        (u32::try_from(index + 1).unwrap_or(u32::MAX), offset - start)
    }

    /// Returns the byte offset of a position.
    pub(crate) fn byte_offset(&self, position: &Position) -> Option<u32> {
        let line = self.line(position.line)?;
        let mut units = 1;
        let byte = line.char_indices().find_map(|(at, c)| {
            let found = units >= position.column;
            units += u32::try_from(c.len_utf16()).unwrap_or(1);
            found.then_some(at)
        });
        let byte = u32::try_from(byte.unwrap_or(line.len())).ok()?;
        self.offset(position.line, byte + 1)
    }

    /// Returns the position of a byte offset.
    pub(crate) fn position(&self, module: &str, offset: usize) -> Position {
        let (line, byte) = self.locate(offset.min(self.text.len()));
        let column = utf16_column(self.line(line).unwrap_or(""), byte);
        Position { module: module.to_owned(), line, column }
    }
}

/// Returns the 1-based UTF-16 column of a byte offset within a line. An offset inside a character
/// counts as its start.
pub(crate) fn utf16_column(line: &str, byte: usize) -> u32 {
    let units: usize = line
        .char_indices()
        .take_while(|(at, c)| at + c.len_utf8() <= byte)
        .map(|(_, c)| c.len_utf16())
        .sum();
    u32::try_from(units + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_utf16_columns() {
        let lines = LineIndex::new("ab\nü😀x\r\nlast\rend");
        let at = |offset| {
            let position = lines.position("m", offset);
            (position.line, position.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(5), (2, 2));
        assert_eq!(at(9), (2, 4));
        assert_eq!(at(12), (3, 1));
        assert_eq!(at(17), (4, 1));
        assert_eq!(at(999), (4, 4));
        for offset in [0, 3, 5, 9, 12, 17] {
            let back = lines.byte_offset(&lines.position("m", offset));
            assert_eq!(back, Some(u32::try_from(offset).unwrap()));
        }
        assert_eq!(lines.line(2), Some("ü😀x"));
        assert_eq!(lines.line(0), None);
        assert_eq!(lines.line(5), None);
    }

    #[test]
    fn empty_text_has_one_line() {
        let lines = LineIndex::new("");
        assert_eq!(lines.line(1), Some(""));
        assert_eq!(lines.position("m", 0).to_string(), "m:1:1");
    }
}
