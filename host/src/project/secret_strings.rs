//! Finds the strings of a settings file that hold secrets, also where the file is not valid JSON.
//!
//! Input: the text up to the end of the line that an error shows. Output: the ranges to hide.
//! **Invariant:** the text may be broken anywhere. A string that is not ended ends with its line.

use crate::model::names_secret;
use std::ops::Range;

/// A string of the text, without its quotes.
struct StringToken {
    inner: Range<usize>,
    /// The character before it and after it, blanks and comments left out.
    before: Option<char>,
    after: Option<char>,
}

/// Returns the ranges of strings that are the value of a name of a secret, or follow an option
/// that names one: `"env": { "API_KEY": "…" }`, `"args": ["--api-key", "…"]`.
pub(super) fn secret_strings(text: &str) -> Vec<Range<usize>> {
    let tokens = string_tokens(text);
    let mut found = Vec::new();
    for pair in tokens.windows(2) {
        let [name, value] = pair else { continue };
        let named = &text[name.inner.clone()];
        let name = match (name.after, value.before) {
            (Some(':'), Some(':')) => named,
            (_, Some(',')) if value.after != Some(':') && !named.contains('=') => {
                match named.trim_start_matches('-') {
                    option if option.len() < named.len() => option,
                    _ => continue,
                }
            }
            _ => continue,
        };
        let hidden = &text[value.inner.clone()];
        // A placeholder says where the secret is, not which.
        if names_secret(name) && !hidden.is_empty() && !hidden.contains("${") {
            found.push(value.inner.clone());
        }
    }
    found
}

fn string_tokens(text: &str) -> Vec<StringToken> {
    let mut tokens: Vec<StringToken> = Vec::new();
    let mut before = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match (c, rest.peek().map(|(_, next)| *next)) {
            ('/', Some('/')) => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = ' ';
                rest.next();
                while let Some((_, c)) = rest.next().filter(|(_, c)| (last, *c) != ('*', '/')) {
                    last = c;
                }
            }
            (quote @ ('"' | '\''), _) => {
                let mut end = at + quote.len_utf8();
                let start = end;
                while let Some((at, c)) = rest.next_if(|(_, c)| *c != quote && *c != '\n') {
                    end = at + c.len_utf8();
                    if c == '\\'
                        && let Some((at, escaped)) = rest.next_if(|(_, c)| *c != '\n')
                    {
                        end = at + escaped.len_utf8();
                    }
                }
                rest.next_if(|(_, c)| *c == quote);
                mark_after(&mut tokens, quote);
                tokens.push(StringToken { inner: start..end, before, after: None });
                before = Some(quote);
            }
            (blank, _) if blank.is_whitespace() => {}
            (other, _) => {
                mark_after(&mut tokens, other);
                before = Some(other);
            }
        }
    }
    tokens
}

/// Notes the character that follows the last string.
fn mark_after(tokens: &mut [StringToken], character: char) {
    if let Some(token) = tokens.last_mut() {
        token.after.get_or_insert(character);
    }
}

#[cfg(test)]
mod tests {
    use super::secret_strings;

    fn found(text: &str) -> Vec<&str> {
        secret_strings(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_secret_is_found_where_the_text_is_broken() {
        for (text, secret) in [
            (r#"{"env":{"API_KEY":"hunter2"#, "hunter2"),
            (r#"{"env":{"API_KEY":"hunt\"er2" "B":"x"}"#, r#"hunt\"er2"#),
            (r#"{"args":["--api-key","hunter2" "z"]"#, "hunter2"),
            (r#"{"args":["--token","hunter2], "timeout": "long"}"#, r#"hunter2], "#),
            ("{\"API_KEY\": // mine\n  \"hunter2", "hunter2"),
            ("{'API_KEY': 'hunter2'}", "hunter2"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn other_strings_are_shown() {
        for text in [
            r#"{"env":{"MODE":"fast"},"args":["--mode","fast"]}"#,
            r#"{"env":{"API_KEY":"${MY_KEY}"}"#,
            r#"{"a":"token","b":"x"}"#,
            r#"["token", "x"]"#,
            r#"{"args":["--token"],"timeout":"long"}"#,
            "\"\\",
            "/*",
            "//",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
