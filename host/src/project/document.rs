//! The text of a file with comments (JSONC), and errors that show a position in it.
//!
//! Input: bytes. Output: a tree, and errors that show file, line and column.
//!
//! **Invariant:** text that an error shows is escaped, limited to one line, and anything that looks
//! like a secret is hidden: an error may end up in a log.

use super::secret_strings::secret_strings;
use crate::disk::user_files::{FileContents, display_path};
use crate::error::Error;
use crate::model::{Code, CodeFrame, Position, Redactor, hidden_mark, in_one_line, utf16_column};
use jsonc_parser::ast::Value;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions};
use std::path::{Path, PathBuf};

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
        parsed
            .map(|parsed| parsed.value)
            .map_err(|error| self.error_at(error.range().start, in_words(error.kind())))
    }

    /// Returns the line and column of a byte, both counted from 1.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        let (line, before) = self.line_before(at);
        (line, before.chars().count() + 1)
    }

    /// Returns an error that names the position and shows its line. Other lines are not shown: a
    /// secret that begins on one line cannot be found on the next.
    pub(super) fn error_at(&self, at: usize, message: impl AsRef<str>) -> Error {
        let (line, before) = self.line_before(at);
        let rest = &self.text[self.text.floor_char_boundary(at)..];
        let rest = rest.split(['\n', '\r']).next().unwrap_or_default();
        let column = utf16_column(before, before.len());
        let (path, message) = (display_path(&self.path), message.as_ref());
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let position = Position {
            module: in_one_line(&file),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column,
        };
        // Programs read the whole path, as the message has it.
        let shown_position = Position { module: path.to_string(), ..position.clone() };
        let (before, rest) = self.without_secrets(before, rest);
        let frame = CodeFrame::of_line(position, &before, &rest, &Redactor::new());
        Error::new(Code::Config, format!("{message}: {path}:{line}:{column}"))
            .with_code_frame(shown_position, frame)
    }

    /// Returns both parts of a line, with the secrets replaced that its strings hold.
    fn without_secrets(&self, before: &str, rest: &str) -> (String, String) {
        let start = before.as_ptr().addr() - self.text.as_ptr().addr();
        let split = start + before.len();
        let end = split + rest.len();
        let mut parts = [String::new(), String::new()];
        let mut shown = start;
        for secret in secret_strings(&self.text[..end]) {
            if secret.end <= start {
                continue;
            }
            let part = usize::from(secret.start >= split);
            let from = secret.start.max(shown);
            if part == 1 && shown < split {
                parts[0] += &self.text[shown..split];
                shown = split;
            }
            parts[part] += &self.text[shown..from];
            let characters = self.text[secret.start..secret.end].chars().count();
            parts[part] += &hidden_mark(characters);
            shown = secret.end;
        }
        if shown < split {
            parts[0] += &self.text[shown..split];
            shown = split;
        }
        parts[1] += &self.text[shown..end];
        parts.into()
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

/// Returns what is wrong with a JSON text, for somebody who wrote it by hand.
fn in_words(kind: &ParseErrorKind) -> String {
    let words = match kind {
        ParseErrorKind::ExpectedStringObjectProperty => "a name in double quotes is missing here",
        ParseErrorKind::ExpectedColonAfterObjectKey => "a colon is missing after this name",
        ParseErrorKind::ExpectedObjectValue => "a value is missing after the colon",
        ParseErrorKind::ExpectedComma => "a comma is missing here",
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            "a string needs double quotes, not single ones"
        }
        ParseErrorKind::UnexpectedWord => "this word is not JSON: a string needs double quotes",
        ParseErrorKind::UnexpectedToken | ParseErrorKind::UnexpectedTokenInObject => {
            "this character is not JSON"
        }
        ParseErrorKind::UnterminatedObject => "this object has no closing brace",
        ParseErrorKind::UnterminatedArray => "this array has no closing bracket",
        ParseErrorKind::UnterminatedCommentBlock => "this comment has no end",
        ParseErrorKind::MultipleRootJsonValues => "a file has one JSON value, and this is another",
        other => {
            let message = other.to_string();
            let mut characters = message.chars();
            let lower = characters.next().map(|first| first.to_lowercase().to_string());
            return match lower.unwrap_or_default() + characters.as_str() {
                text if text == "unterminated string literal" => {
                    "this string has no closing quote".into()
                }
                text => text,
            };
        }
    };
    words.to_owned()
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
        assert_eq!(
            error.to_string(),
            "this word is not JSON: a string needs double quotes: /p/.pml.json:3:8"
        );
        let frame = "  ╭─[.pml.json:3:8]\n3 │   \"é\": tru\n  ·        ╵";
        assert_eq!(error.code_frame().unwrap().to_string(), frame);
        assert_eq!(error.position().unwrap().module, "/p/.pml.json");
    }

    #[test]
    fn what_a_terminal_obeys_and_what_looks_secret_is_not_shown() {
        let text = "{ \"token\": \"abcdef\", \"\u{1b}[2J\": x }";
        let error = document(text).error_at(text.find('x').unwrap(), "no");
        let error = format!("{error}\n{}", error.code_frame().unwrap());
        assert!(!error.contains("abcdef") && !error.contains('\u{1b}'), "{error}");
        assert_eq!(error.lines().count(), 4);
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
