//! The text of a file with comments (JSONC), and errors that show a position in it.
//!
//! Input: bytes. Output: a tree, and errors that show file, line and column.
//!
//! **Invariant:** text that an error shows is escaped, limited to one line, and anything that looks
//! like a secret is hidden: an error may end up in a log.

use crate::disk::user_files::{FileContents, display_path};
use crate::error::Error;
use crate::model::{Code, Redactor, cut, escape};
use jsonc_parser::ast::Value;
use jsonc_parser::{CollectOptions, ParseOptions};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// Characters of a line that are shown on each side of the position.
const SHOWN: usize = 60;

/// JSON with comments and trailing commas, and no other extension of JavaScript.
pub(super) const JSONC: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A file that was read.
#[derive(Debug)]
pub(super) struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    /// Decodes the bytes of a file as text.
    pub(super) fn new(file: FileContents) -> Result<Document, Error> {
        let FileContents { path, bytes } = file;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Document { path, text }),
            Err(_) => {
                let message = format!("the file is not UTF-8: {}", display_path(&path));
                Err(Error::new(Code::Config, message).with_hint("save it as UTF-8"))
            }
        }
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Parses the text. Returns `None` if the file is empty.
    pub(super) fn tree(&self) -> Result<Option<Value<'_>>, Error> {
        let parsed = jsonc_parser::parse_to_ast(&self.text, &CollectOptions::default(), &JSONC);
        parsed.map(|parsed| parsed.value).map_err(|error| {
            let message = error.kind().to_string();
            let mut characters = message.chars();
            let lower = characters.next().map(|first| first.to_lowercase().to_string());
            let message = lower.unwrap_or_default() + characters.as_str();
            self.error_at(error.range().start, message)
        })
    }

    /// Returns the line and column of a byte, both counted from 1.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        let (line, before) = self.line_before(at);
        (line, before.chars().count() + 1)
    }

    /// Returns an error that shows the position.
    pub(super) fn error_at(&self, at: usize, message: impl AsRef<str>) -> Error {
        let (line, before) = self.line_before(at);
        let rest = &self.text[self.text.floor_char_boundary(at)..];
        let rest = rest.split(['\n', '\r']).next().unwrap_or_default();
        let skipped = before.chars().count().saturating_sub(SHOWN);
        let start: String = before.chars().skip(skipped).collect();
        let start = visible(start.trim_start());
        let number = line.to_string();
        let message = format!(
            "{message}: {path}:{line}:{column}\n{number} | {start}{rest}\n{blank:pad$} | {blank:indent$}^",
            message = message.as_ref(),
            path = display_path(&self.path),
            column = before.chars().count() + 1,
            rest = visible(&cut(rest, SHOWN)),
            blank = "",
            pad = number.len(),
            indent = start.width(),
        );
        Error::new(Code::Config, message)
    }

    /// Returns the number of the line that contains a byte, and the text before the byte in that
    /// line.
    fn line_before(&self, at: usize) -> (usize, &str) {
        let at = self.text.floor_char_boundary(at);
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, &before[start..])
    }
}

/// Makes text of a file safe to show.
fn visible(text: &str) -> String {
    escape(&Redactor::new().redact_text(text)).replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::{Document, FileContents};

    fn document(text: &str) -> Document {
        Document::new(FileContents { path: "/p/.pml.json".into(), bytes: text.into() }).unwrap()
    }

    #[test]
    fn an_error_shows_where() {
        let error = document("{\n  \"a\": 1,\n  \"é\": tru\n}").tree().unwrap_err();
        let shown = "unexpected word: /p/.pml.json:3:8\n3 | \"é\": tru\n  |      ^";
        assert_eq!(error.to_string(), shown);
    }

    #[test]
    fn what_a_terminal_obeys_and_what_looks_secret_is_not_shown() {
        let text = "{ \"token\": \"abcdef\", \"\u{1b}[2J\": x }";
        let error = document(text).error_at(text.find('x').unwrap(), "no").to_string();
        assert!(!error.contains("abcdef") && !error.contains('\u{1b}'), "{error}");
        assert_eq!(error.lines().count(), 3);
    }

    #[test]
    fn comments_and_trailing_commas_are_fine_and_other_looseness_is_not() {
        assert!(document("// c\n{ \"a\": [1, /* b */ 2,], }").tree().unwrap().is_some());
        for text in ["{ a: 1 }", "{ 'a': 1 }", "{ \"a\": 0x1 }", "{ \"a\": 1 \"b\": 2 }", "{} {}"] {
            assert!(document(text).tree().is_err(), "{text}");
        }
        assert!(document("").tree().unwrap().is_none());
    }
}
