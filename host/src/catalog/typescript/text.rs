//! Writes hostile text as TypeScript: names, string literals, comments.

use crate::model::{escape, is_hidden};
use std::fmt::Write as _;

/// Words that need quotes as the name of a property in some places: `new(…)` in a type would be a
/// constructor.
const RESERVED: [&str; 5] = ["constructor", "new", "__proto__", "get", "set"];

/// Reports whether a text is an ASCII identifier, which needs no quotes.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}

/// Returns a property's name, quoted if necessary.
pub(super) fn key(name: &str) -> String {
    match is_identifier(name) && !RESERVED.contains(&name) {
        true => name.into(),
        false => quoted(name),
    }
}

/// Returns a string literal. Hidden characters are escaped in a way that does not change the value.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            // Writing to a string cannot fail.
            c if is_hidden(c) => drop(write!(literal, "\\u{{{:x}}}", u32::from(c))),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// Returns the content of a comment on one line. The text cannot close the comment or contain
/// compiler directives.
pub(super) fn comment(text: &str, limit: usize) -> String {
    // Reads a little more than the limit, since blanks are removed, but never a whole megabyte.
    let start: String = text.chars().take(limit * 4).collect();
    let plain = start.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = crate::model::cut(&plain, limit);
    escape(&plain).replace("*/", "*\\/").replace("@ts-", "@ ts-")
}

#[cfg(test)]
mod tests {
    use super::{comment, key, quoted};

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(key("path"), "path");
        assert_eq!(key("delete"), "delete");
        for (name, written) in [
            ("get-env", r#""get-env""#),
            ("new", r#""new""#),
            ("1st", r#""1st""#),
            ("", r#""""#),
            ("a\"; evil", r#""a\"; evil""#),
            ("\u{202e}x", r#""\u{202e}x""#),
            ("größe", r#""größe""#),
        ] {
            assert_eq!(key(name), written);
        }
    }

    #[test]
    fn literals_keep_their_value() {
        assert_eq!(quoted("a\\b\"c\nd\u{0}"), r#""a\\b\"c\nd\u{0}""#);
    }

    #[test]
    fn comments_cannot_be_closed_and_do_not_speak_to_the_compiler() {
        assert_eq!(comment("a */ b\n * c", 100), "a *\\/ b * c");
        assert_eq!(comment("**/", 100), "**\\/");
        assert_eq!(comment("@ts-expect-error", 100), "@ ts-expect-error");
        assert_eq!(comment("x\u{200b}", 100), "x\\u{200b}");
        assert_eq!(comment("abcdef", 4), "abc…");
    }
}
