//! Hides secrets in shown text, unless a person asked to see them.

use super::known::{KnownSecrets, MIN_LENGTH, hide_words, is_distinct, rename};
use super::shape::hide;
use super::value::hide_likely_secrets;
use crate::model::Secret;
use crate::model::text::count_blanks;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Hides secrets: values that it knows, and values that look like secrets.
///
/// ```
/// use pml::{text::Redactor, Secret, json::json};
///
/// let redactor = Redactor::with_secrets([Secret::new("hunter22")]);
/// let shown = redactor.redact(&json!({ "command": "login hunter22; ls", "token": "abc" }));
/// let expected = "login [hidden: 8 characters]; ls";
/// assert_eq!(shown, json!({ "command": expected, "token": "[hidden: 3 characters]" }));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Values that are hidden wherever they occur.
    known: Arc<KnownSecrets>,
    /// Values that are ordinary words: hidden only where they are the whole text.
    whole_texts: Arc<BTreeSet<String>>,
    reveals: bool,
}

impl Redactor {
    /// Returns a redactor that knows no values, and guesses.
    pub fn new() -> Redactor {
        Redactor::default()
    }

    /// Returns a redactor that hides these values, and guesses further secrets. A value of eight
    /// characters or more with letters and digits is hidden wherever it occurs; any other only
    /// where it is the whole text, so that a variable whose value is an ordinary word hides no part
    /// of a command. Values of fewer than four characters are ignored.
    pub fn with_secrets(secrets: impl IntoIterator<Item = Secret>) -> Redactor {
        let secrets: Vec<Secret> = secrets.into_iter().collect();
        // Each line is judged on its own: a line with a digit does not make the others secrets.
        let lines = secrets.iter().flat_map(|secret| secret.reveal().lines());
        let (known, whole): (Vec<_>, Vec<_>) =
            lines.map(str::trim).partition(|value| is_distinct(value));
        let whole = whole.into_iter().filter(|value| value.chars().count() >= MIN_LENGTH);
        Redactor {
            known: Arc::new(KnownSecrets::new(known)),
            whole_texts: Arc::new(whole.map(str::to_owned).collect()),
            reveals: false,
        }
    }

    /// Returns a redactor that hides nothing: a person asked for it, and was warned.
    pub fn hiding_nothing() -> Redactor {
        Redactor { reveals: true, ..Redactor::default() }
    }

    /// Reports whether it hides anything.
    pub(crate) fn hides(&self) -> bool {
        !self.reveals
    }

    /// Returns the value with each secret replaced by its number of characters.
    pub fn redact(&self, value: &Value) -> Value {
        if self.reveals {
            return value.clone();
        }
        if self.known.is_empty() && self.whole_texts.is_empty() {
            return hide_likely_secrets(value);
        }
        let mut value = value.clone();
        self.known.hide_all(&mut value);
        self.hide_whole(&mut value);
        hide_likely_secrets(&value)
    }

    /// Returns the text with each secret replaced by its number of characters.
    pub fn redact_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.reveals {
            return Cow::Borrowed(text);
        }
        if self.whole_texts.contains(text.trim()) {
            return Cow::Owned(hide_words(text));
        }
        match self.known.hide(text) {
            Cow::Borrowed(text) => hide(text),
            Cow::Owned(text) => Cow::Owned(hide(&text).into_owned()),
        }
    }

    fn hide_whole(&self, value: &mut Value) {
        match value {
            Value::String(text) if self.whole_texts.contains(text.trim()) => {
                *text = hide_words(text)
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_whole(item)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.hide_whole(value)),
            _ => {}
        }
    }

    /// Returns the value as a person sees it: without secrets, and with long rows of blanks
    /// replaced by their count.
    pub(crate) fn for_display(&self, value: &Value) -> Value {
        let mut value = self.redact(value);
        count_blanks_in(&mut value);
        value
    }
}

fn count_blanks_in(value: &mut Value) {
    let counted = |text: &mut String| {
        if let Cow::Owned(counted) = count_blanks(text) {
            *text = counted;
        }
    };
    match value {
        Value::String(text) => counted(text),
        Value::Array(items) => items.iter_mut().for_each(count_blanks_in),
        Value::Object(fields) => {
            let long = |key: &String| matches!(count_blanks(key), Cow::Owned(_));
            if fields.keys().any(long) {
                rename(fields, |key| match count_blanks(key) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(counted) => Some(counted),
                });
            }
            fields.values_mut().for_each(count_blanks_in);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::Redactor;
    use crate::model::Secret;
    use serde_json::json;

    #[test]
    fn what_is_known_is_hidden_under_any_key_and_revealed_to_whoever_asks() {
        let redactor = Redactor::with_secrets([Secret::new("hunter22")]);
        let value = json!({ "text": "it is hunter22", "n": [1, "hunter22;x"] });
        let shown =
            json!({ "text": "it is [hidden: 8 characters]", "n": [1, "[hidden: 8 characters];x"] });
        assert_eq!(redactor.redact(&value), shown);
        assert_eq!(redactor.redact(&shown), shown, "twice changes nothing");
        assert_eq!(redactor.redact_text("token=hunter22"), "token=[hidden: 8 characters]");
        let all = Redactor::hiding_nothing();
        assert_eq!(all.redact(&json!({ "token": "hunter22" })), json!({ "token": "hunter22" }));
        assert_eq!(all.redact_text("token=hunter22"), "token=hunter22");
    }

    #[test]
    fn a_variable_that_is_an_ordinary_word_hides_no_word_of_a_command() {
        let words = "t0ken-value\nshutdown\nevil.example\nforce\ndelete\nproduction\ncurl";
        let redactor =
            Redactor::with_secrets([Secret::new(words), Secret::new("evil7host.example")]);
        for command in [
            "curl https://evil.example/p; git push --force; kubectl delete ns production",
            "curl https://evil7host.example/p",
        ] {
            assert_eq!(redactor.redact_text(command), command);
            assert_eq!(redactor.redact(&json!({ "x": command })), json!({ "x": command }));
        }
        let alone = json!({ "production": ["delete"] });
        let hidden = json!({ "production": ["[hidden: 6 characters]"] });
        assert_eq!(redactor.redact(&alone), hidden);
    }

    #[test]
    fn blanks_are_counted_in_texts_and_keys_at_every_depth() {
        let (blanks, lines) = (" ".repeat(30), "\n".repeat(10));
        let value = json!({ "a": [format!("x{blanks}y")], format!("k{lines}"): { "b": lines } });
        let shown = json!({ "a": ["x[30 blanks]y"], "k[10 blanks]": { "b": "[10 blanks]" } });
        assert_eq!(Redactor::new().for_display(&value), shown);
        assert_eq!(Redactor::hiding_nothing().for_display(&value), shown);
        let two = json!({ format!("k{blanks}"): 1, "k[30 blanks]": 2 });
        let shown = json!({ "k[30 blanks] (2)": 1, "k[30 blanks]": 2 });
        assert_eq!(Redactor::new().for_display(&two), shown);
    }
}
