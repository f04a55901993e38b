//! The text that is being blanked, and the tokens by which positions in it are found.
//!
//! **Invariant:** an edit replaces a byte by a byte, and whole characters by spaces, so that the
//! text stays UTF-8.

use oxc::parser::{Kind, Token};
use oxc::span::Span;

/// A text with edits, and its tokens.
pub(super) struct Edits<'t> {
    source: &'t str,
    tokens: &'t [Token],
    out: Vec<u8>,
}

/// Blanks spans of a code.
pub(in super::super) fn blank_spans(code: &str, spans: &[Span]) -> String {
    let mut edits = Edits::new(code, &[]);
    spans.iter().for_each(|span| edits.blank_span(*span));
    edits.finish()
}

impl<'t> Edits<'t> {
    pub(super) fn new(source: &'t str, tokens: &'t [Token]) -> Self {
        Self { source, tokens, out: source.as_bytes().to_vec() }
    }

    pub(super) fn finish(self) -> String {
        String::from_utf8(self.out)
            .expect("whole characters are replaced by ASCII, so the text stays UTF-8")
    }

    /// Replaces everything from `start` to `end` by spaces, apart from tabs and line ends.
    pub(super) fn blank(&mut self, start: u32, end: u32) {
        let (mut at, end) = (start as usize, (end as usize).min(self.out.len()));
        while at < end {
            match &self.source.as_bytes()[at..] {
                // Line and paragraph separators end lines too.
                [0xe2, 0x80, 0xa8 | 0xa9, ..] => at += 2,
                [b'\n' | b'\r' | b'\t', ..] => {}
                _ => self.out[at] = b' ',
            }
            at += 1;
        }
    }

    pub(super) fn blank_span(&mut self, span: Span) {
        self.blank(span.start, span.end);
    }

    /// Blanks a whole statement or class element and puts a `;` in its place, so that the text
    /// before it cannot join the text after it.
    pub(super) fn erase(&mut self, span: Span) {
        self.blank_span(span);
        self.put(span.start, b';');
    }

    /// Puts an ASCII character in place of a blank.
    pub(super) fn put(&mut self, at: u32, byte: u8) {
        self.out[at as usize] = byte;
    }

    /// Puts a `;` at the end of a statement or class field whose last token was blanked, since the
    /// newline after it may no longer end it.
    pub(super) fn end_statement(&mut self, end: u32) {
        let Some(last) = end.checked_sub(1) else { return };
        if self.is_blanked(last)
            && self.token_from(end).is_some_and(|token| token.kind() != Kind::RCurly)
        {
            self.put(last, b';');
        }
    }

    fn is_blanked(&self, at: u32) -> bool {
        let at = at as usize;
        self.out[at] == b' ' && self.source.as_bytes()[at] != b' '
    }

    /// Returns the first token that starts at or after an offset.
    pub(super) fn token_from(&self, offset: u32) -> Option<Token> {
        self.tokens_from(offset).first().copied()
    }

    /// Returns the tokens that start at or after an offset.
    pub(super) fn tokens_from(&self, offset: u32) -> &'t [Token] {
        let index = self.tokens.partition_point(|token| token.start() < offset);
        self.tokens.get(index..).unwrap_or_default()
    }

    /// Returns the last token that starts before an offset.
    pub(super) fn token_before(&self, offset: u32) -> Option<Token> {
        let index = self.tokens.partition_point(|token| token.start() < offset);
        index.checked_sub(1).and_then(|index| self.tokens.get(index)).copied()
    }

    /// Reports whether a line ends between two offsets.
    pub(super) fn has_line_end(&self, start: u32, end: u32) -> bool {
        let text = self.source.get(start as usize..end as usize).unwrap_or("");
        text.contains(['\n', '\r', '\u{2028}', '\u{2029}'])
    }

    /// Blanks the next token of a kind after `offset`, if only closing brackets are between.
    pub(super) fn blank_token(&mut self, offset: u32, kind: Kind) {
        let tokens = self.tokens_from(offset);
        let token =
            tokens.iter().find(|token| !matches!(token.kind(), Kind::RBrack | Kind::RParen));
        if let Some(token) = token.filter(|token| token.kind() == kind) {
            self.blank(token.start(), token.end());
        }
    }

    /// Blanks a list item and the comma after it.
    pub(super) fn blank_item(&mut self, span: Span) {
        self.blank_span(self.item_span(span));
    }

    /// Returns the span of a list item with the comma after it.
    pub(super) fn item_span(&self, span: Span) -> Span {
        match self.token_from(span.end) {
            Some(token) if token.kind() == Kind::Comma => Span::new(span.start, token.end()),
            _ => span,
        }
    }

    /// Reports whether the start of a span was blanked.
    pub(super) fn is_blank(&self, span: Span) -> bool {
        self.is_blanked(span.start)
    }
}
