//! Computes the columns that QuickJS gives to tokens.
//!
//! QuickJS takes a token's column from a mark. It sets the mark after blanks, comments and line
//! ends and at the start of a word, but not at other tokens: in `f("x")` the column of `"x"` is
//! that of `f`. On the first line of a text it counts from zero.
//!
//! **Invariant:** offsets are those that result from QuickJS' columns when they are read as
//! counting from one.

use oxc::parser::Token;

/// The offsets that QuickJS reports for the tokens of a code.
pub(super) struct TokenColumns {
    /// The start of each token, ascending, and the offset that QuickJS reports for it.
    tokens: Vec<(u32, u32)>,
}

impl TokenColumns {
    /// Computes the reported offsets of the tokens of a code.
    pub(super) fn new(code: &str, tokens: &[Token]) -> Self {
        let bytes = code.as_bytes();
        let first_line_end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let first_line_end = first_line_end.unwrap_or(bytes.len());
        let (mut mark, mut end) = (1, 0);
        let tokens = tokens.iter().map(|token| {
            let (start, stop) = (token.start() as usize, token.end() as usize);
            let is_word = bytes
                .get(start)
                .is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$".contains(byte));
            if is_word || start > end {
                mark = start;
            }
            let reported = if mark <= first_line_end { mark.max(1) - 1 } else { mark };
            let text = bytes.get(start..stop).unwrap_or_default();
            // A template or a string that contains a line end.
            if let Some(last) = text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
                mark = start + last + 1;
            }
            end = stop;
            (token.start(), u32::try_from(reported).unwrap_or(u32::MAX))
        });
        Self { tokens: tokens.collect() }
    }

    /// Returns the offset that QuickJS reports for the token that starts at `start`.
    pub(super) fn reported_offset(&self, start: u32) -> u32 {
        match self.tokens.binary_search_by_key(&start, |(start, _)| *start) {
            Ok(index) => self.tokens[index].1,
            Err(_) => start,
        }
    }
}
