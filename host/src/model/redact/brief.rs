//! A JSON value in one line.

use super::value::redact;
use crate::model::text::{cut, escape};
use serde_json::Value;

/// Returns the value as one line of JSON of at most `limit` characters: secrets redacted, what a terminal obeys escaped,
/// and what is over cut with `…`.
///
/// ```
/// let arguments = pml::json::json!({ "text": "one\ntwo", "token": "abc" });
/// assert_eq!(pml::brief(&arguments, 80), r#"{"text":"one\ntwo","token":"[redacted]"}"#);
/// assert_eq!(pml::brief(&arguments, 10), r#"{"text":"…"#);
/// ```
pub fn brief(value: &Value, limit: usize) -> String {
    // JSON text has no line ends or tabs of its own, which are all that `escape` lets through.
    cut(&escape(&redact(value).to_string()), limit)
}

#[cfg(test)]
mod tests {
    use super::brief;
    use serde_json::json;

    #[test]
    fn it_is_one_line_that_a_terminal_does_not_obey() {
        let hostile = json!({ "a": "1\n2\r3\u{1b}[2J\u{202e}\u{9b}\u{2028}", "\n": "\t" });
        let line = brief(&hostile, 200);
        assert_eq!(line, r#"{"a":"1\n2\r3\u001b[2J\u{202e}\u{9b}\u{2028}","\n":"\t"}"#);
    }

    #[test]
    fn it_is_never_longer_than_the_limit() {
        let value = json!({ "text": "é日🎉".repeat(100) });
        for limit in [0, 1, 2, 11, 50, 1000] {
            let line = brief(&value, limit);
            assert!(line.chars().count() <= limit, "{limit}: {line}");
        }
        assert!(brief(&value, 20).ends_with('…'));
        assert_eq!(brief(&json!(12345), 5), "12345");
    }
}
