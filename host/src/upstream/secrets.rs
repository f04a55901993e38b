//! The values that a server was given and that nobody else may see: in flow its words, out flow the same without them.
//!
//! **Invariant:** what a server says is cut only after this, or a value across the cut would leave its beginning.

use crate::config::{Launch, ServerConfig};
use crate::model::{Secret, cut, escape};
use serde_json::Value;
use std::borrow::Cow;

/// Shorter values would hide parts of ordinary words.
const LEAST: usize = 6;

/// What stands in place of a value.
const HIDDEN: &str = "…";

/// A server's own words in our messages are cut to this.
const WORDS: usize = 500;

/// Values that are hidden, longest first: one may be part of another.
#[derive(Debug, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    /// Returns what a server was given: all that variables put in, and its whole environment and headers.
    pub(super) fn of(config: &ServerConfig) -> Secrets {
        let mut values: Vec<&str> = config.secrets.iter().map(Secret::reveal).collect();
        match &config.launch {
            Launch::Stdio { environment, .. } => {
                values.extend(environment.iter().map(|(_, value)| value.reveal()));
            }
            Launch::Http { headers, .. } => {
                for (_, value) in headers {
                    values.push(value.reveal());
                    // The key alone, without its `Bearer`.
                    values.extend(value.reveal().split_once(' ').map(|(_, key)| key));
                }
            }
        }
        Secrets::new(values)
    }

    fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> Secrets {
        let mut parts = Vec::new();
        for value in values {
            // Words come line by line.
            for part in [value].into_iter().chain(value.lines()).map(str::trim) {
                if part.len() >= LEAST {
                    parts.push(part.to_owned());
                    // As it stands in JSON.
                    let quoted = Value::from(part).to_string();
                    parts.push(quoted[1..quoted.len() - 1].to_owned());
                }
            }
        }
        parts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        parts.dedup();
        Secrets(parts.into_iter().map(Secret::new).collect())
    }

    /// Returns a text without the values.
    pub(super) fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.0.iter().map(Secret::reveal) {
            if text.contains(secret) {
                text = Cow::Owned(text.replace(secret, HIDDEN));
            }
        }
        text
    }

    /// Returns a text without the values that was cut already: the beginning of one at its end is hidden too.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        let mut text = self.hide(text).into_owned();
        let begun = |text: &str, secret: &str| {
            let ends = secret.char_indices().map(|(at, _)| at).rev();
            ends.filter(|end| *end > 0).find(|end| text.ends_with(&secret[..*end]))
        };
        let longest = self.0.iter().filter_map(|secret| begun(&text, secret.reveal())).max();
        if let Some(longest) = longest {
            text.truncate(text.len() - longest);
            text.push_str(HIDDEN);
        }
        text
    }

    /// Takes the values out of all texts of a JSON value, keys included.
    pub(super) fn hide_all(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(key, mut value)| {
                    self.hide_all(&mut value);
                    (self.hide(&key).into_owned(), value)
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Returns words of a server, or of the OS about it, fit for a message.
    pub(super) fn words(&self, text: &str) -> String {
        escape(&cut(&self.hide(text.trim()), WORDS)).into_owned()
    }

    /// Returns the last part of a chain of errors: what really happened.
    pub(super) fn root(&self, error: &(dyn std::error::Error + 'static)) -> String {
        let mut root = error;
        while let Some(source) = root.source() {
            root = source;
        }
        self.words(&root.to_string())
    }
}

#[cfg(test)]
impl<'v, const N: usize> From<[&'v str; N]> for Secrets {
    fn from(values: [&'v str; N]) -> Secrets {
        Secrets::new(values)
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use crate::config::{Launch, ServerConfig};
    use crate::model::Secret;
    use serde_json::json;

    #[test]
    fn what_variables_put_in_is_hidden_and_so_is_every_line_of_it() {
        let mut config = ServerConfig::stdio("x", "serve", ["--key", "hunter22"], "/").unwrap();
        config.secrets = vec![Secret::new("hunter22"), Secret::new("first line\nsecond line\n")];
        let secrets = Secrets::of(&config);
        assert_eq!(secrets.hide("argv: --key hunter22"), "argv: --key …");
        assert_eq!(secrets.hide("at second line: x"), "at …: x");
        assert_eq!(secrets.hide(r#""first line\nsecond line""#), r#""…""#);
    }

    #[test]
    fn a_key_is_hidden_without_its_scheme_too() {
        let mut config = ServerConfig::http("x", "http://localhost/").unwrap();
        if let Launch::Http { headers, .. } = &mut config.launch {
            headers.push(("Authorization".into(), Secret::new("Bearer hunter22")));
        }
        let secrets = Secrets::of(&config);
        assert_eq!(secrets.hide("Bearer hunter22, token=hunter22"), "…, token=…");
    }

    #[test]
    fn short_values_are_words_like_any_other() {
        assert_eq!(Secrets::from(["true", ""]).hide("it is true"), "it is true");
    }

    #[test]
    fn words_are_cut_after_the_values_are_gone() {
        let secrets = Secrets::from(["hunter22"]);
        let words = secrets.words(&format!("{}hunter22 and more", "x".repeat(495)));
        assert!(!words.contains('h'), "{words}");
        assert_eq!(secrets.hide_cut("key: hunte"), "key: …");
        assert_eq!(secrets.hide_cut("key: none"), "key: none");
    }

    #[test]
    fn json_is_searched_through() {
        let mut value = json!({ "a": ["x hunter22"], "hunter22": 1 });
        Secrets::from(["hunter22"]).hide_all(&mut value);
        assert_eq!(value, json!({ "a": ["x …"], "…": 1 }));
    }
}
