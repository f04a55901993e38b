//! Reads the values of a tree, each with its position. `raw.rs` and the importers use it.
//!
//! **Invariant:** a key that occurs twice is refused, because readers differ in which of the two
//! they use.

use super::document::Document;
use crate::error::Error;
use crate::model::{escape, nearest};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

/// A text with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocatedText {
    pub(super) value: String,
    pub(super) at: usize,
}

/// A text or a number, as written, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Text(LocatedText),
    Number(LocatedText),
}

impl Scalar {
    /// Returns its position.
    pub(super) fn at(&self) -> usize {
        match self {
            Scalar::Text(text) | Scalar::Number(text) => text.at,
        }
    }
}

/// How to handle unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    Refused,
    /// They are meant for another program.
    Ignored,
}

/// Reads the values of one document.
#[derive(Clone, Copy)]
pub(super) struct FieldReader<'a> {
    pub(super) document: &'a Document,
    pub(super) unknown: UnknownKeys,
}

impl FieldReader<'_> {
    /// Returns the value as an object, or an error.
    pub(super) fn object<'v, 't>(
        &self,
        value: &'v Value<'t>,
        what: &str,
    ) -> Result<&'v Object<'t>, Error> {
        let object = value.as_object().ok_or_else(|| self.expected(value, what, "an object"))?;
        let mut seen = std::collections::HashSet::new();
        for property in &object.properties {
            if !seen.insert(property.name.as_str()) {
                let message = format!("{what} has the key {} twice", shown(property.name.as_str()));
                let error = self.document.error_at(property.start(), message);
                return Err(error.with_hint("remove one of the two"));
            }
        }
        Ok(object)
    }

    /// Returns the fields of an object whose keys are `known`.
    pub(super) fn fields<'v, 't>(
        &self,
        value: &'v Value<'t>,
        what: &str,
        known: &[&'static str],
    ) -> Result<Vec<(&'static str, &'v ObjectProp<'t>)>, Error> {
        let mut fields = Vec::new();
        for property in &self.object(value, what)?.properties {
            let key = property.name.as_str();
            match known.iter().find(|known| **known == key) {
                Some(known) => fields.push((*known, property)),
                None if self.unknown == UnknownKeys::Ignored => {}
                None => return Err(self.unknown_key(property, what, known)),
            }
        }
        Ok(fields)
    }

    fn unknown_key(&self, property: &ObjectProp<'_>, what: &str, known: &[&str]) -> Error {
        let key = property.name.as_str();
        let message = format!("{what} has no key {}", shown(key));
        let hint = match nearest(key, known.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are `{}`", known.join("`, `")),
        };
        self.document.error_at(property.start(), message).with_hint(hint)
    }

    /// Returns the value as a text, or an error.
    pub(super) fn text(&self, value: &Value<'_>, what: &str) -> Result<LocatedText, Error> {
        let text = value.as_string_lit().ok_or_else(|| self.expected(value, what, "a string"))?;
        Ok(LocatedText { value: text.value.as_ref().into(), at: text.range.start })
    }

    /// Returns the value as a boolean, or an error.
    pub(super) fn boolean(&self, value: &Value<'_>, what: &str) -> Result<bool, Error> {
        let found = value.as_boolean_lit().map(|boolean| boolean.value);
        found.ok_or_else(|| self.expected(value, what, "`true` or `false`"))
    }

    /// Returns the value as a text or number, or an error.
    pub(super) fn scalar(&self, value: &Value<'_>, what: &str) -> Result<Scalar, Error> {
        match value {
            Value::NumberLit(number) => {
                let at = number.range.start;
                Ok(Scalar::Number(LocatedText { value: number.value.into(), at }))
            }
            Value::StringLit(_) => self.text(value, what).map(Scalar::Text),
            _ => Err(self.expected(value, what, "a string or a number")),
        }
    }

    /// Returns the value as a list of texts, or an error.
    pub(super) fn texts(&self, value: &Value<'_>, what: &str) -> Result<Vec<LocatedText>, Error> {
        let items = self.list(value, what)?.iter();
        items.map(|value| self.text(value, &format!("each item of {what}"))).collect()
    }

    /// Returns the items of a value that must be a list.
    pub(super) fn list<'v, 't>(
        &self,
        value: &'v Value<'t>,
        what: &str,
    ) -> Result<&'v [Value<'t>], Error> {
        let list = value.as_array().ok_or_else(|| self.expected(value, what, "an array"))?;
        Ok(&list.elements)
    }

    /// Returns the keys of a value with their texts. An error names only the key: the value may be
    /// secret.
    pub(super) fn pairs(
        &self,
        value: &Value<'_>,
        what: &str,
    ) -> Result<Vec<(LocatedText, LocatedText)>, Error> {
        let pair = |property: &ObjectProp<'_>| {
            let name = LocatedText { value: property.name.as_str().into(), at: property.start() };
            let Some(text) = property.value.as_string_lit() else {
                let name_shown = shown(&name.value);
                let message = format!(
                    "{name_shown} in {what} must be a string, not {}",
                    kind_of(&property.value)
                );
                return Err(self.document.error_at(name.at, message).with_hint("put it in quotes"));
            };
            let value = LocatedText { value: text.value.as_ref().into(), at: name.at };
            Ok((name, value))
        };
        self.object(value, what)?.properties.iter().map(pair).collect()
    }

    fn expected(&self, value: &Value<'_>, what: &str, kind: &str) -> Error {
        let message = format!("{what} must be {kind}, not {}", kind_of(value));
        self.document.error_at(value.start(), message)
    }
}

/// Returns the kind of a value, in the words of JSON.
fn kind_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "`true` or `false`",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "`null`",
    }
}

/// Makes a key safe to show.
pub(super) fn shown(key: &str) -> String {
    format!("`{}`", crate::model::cut(&escape(key), 80))
}
