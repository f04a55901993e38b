//! The values in a tree, each with its place: what `raw.rs` and the importers read with.
//!
//! **Invariant:** a key that stands twice is refused: readers differ in which of the two they take.

use super::document::Document;
use crate::error::Error;
use crate::model::{escape, nearest};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

/// A text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocatedText {
    pub(super) value: String,
    pub(super) at: usize,
}

/// A text or a number, as written, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Text(LocatedText),
    Number(LocatedText),
}

impl Scalar {
    /// Returns where it stands.
    pub(super) fn at(&self) -> usize {
        match self {
            Scalar::Text(text) | Scalar::Number(text) => text.at,
        }
    }
}

/// What to do with keys that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    Refused,
    /// They mean something to another program.
    Ignored,
}

/// Reads values of one document.
#[derive(Clone, Copy)]
pub(super) struct FieldReader<'a> {
    pub(super) document: &'a Document,
    pub(super) unknown: UnknownKeys,
}

impl FieldReader<'_> {
    /// Returns the object that a value must be.
    pub(super) fn object<'v, 't>(
        &self,
        value: &'v Value<'t>,
        what: &str,
    ) -> Result<&'v Object<'t>, Error> {
        let object = value.as_object().ok_or_else(|| self.expected(value, what, "an object"))?;
        let mut seen = std::collections::HashSet::new();
        for property in &object.properties {
            if !seen.insert(property.name.as_str()) {
                let message = format!("{} stands twice", shown(property.name.as_str()));
                return Err(self.document.refuse(property.start(), message));
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
        let message = format!("{} is no key of {what}", shown(key));
        let hint = match nearest(key, known.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are `{}`", known.join("`, `")),
        };
        self.document.refuse(property.start(), message).with_hint(hint)
    }

    /// Returns the text that a value must be.
    pub(super) fn text(&self, value: &Value<'_>, what: &str) -> Result<LocatedText, Error> {
        let text = value.as_string_lit().ok_or_else(|| self.expected(value, what, "a text"))?;
        Ok(LocatedText { value: text.value.as_ref().into(), at: text.range.start })
    }

    /// Returns the yes or no that a value must be.
    pub(super) fn boolean(&self, value: &Value<'_>, what: &str) -> Result<bool, Error> {
        let found = value.as_boolean_lit().map(|boolean| boolean.value);
        found.ok_or_else(|| self.expected(value, what, "`true` or `false`"))
    }

    /// Returns the text or number that a value must be.
    pub(super) fn scalar(&self, value: &Value<'_>, what: &str) -> Result<Scalar, Error> {
        match value {
            Value::NumberLit(number) => {
                let at = number.range.start;
                Ok(Scalar::Number(LocatedText { value: number.value.into(), at }))
            }
            Value::StringLit(_) => self.text(value, what).map(Scalar::Text),
            _ => Err(self.expected(value, what, "a text or a number")),
        }
    }

    /// Returns the texts that a value must list.
    pub(super) fn texts(&self, value: &Value<'_>, what: &str) -> Result<Vec<LocatedText>, Error> {
        let items = self.list(value, what)?.iter();
        items.map(|value| self.text(value, &format!("every item of {what}"))).collect()
    }

    /// Returns the items of the list that a value must be.
    pub(super) fn list<'v, 't>(
        &self,
        value: &'v Value<'t>,
        what: &str,
    ) -> Result<&'v [Value<'t>], Error> {
        let list = value.as_array().ok_or_else(|| self.expected(value, what, "a list"))?;
        Ok(&list.elements)
    }

    /// Returns the texts that a value must have under its keys. A wrong one is shown by its key
    /// alone: it may be secret.
    pub(super) fn pairs(
        &self,
        value: &Value<'_>,
        what: &str,
    ) -> Result<Vec<(LocatedText, LocatedText)>, Error> {
        let pair = |property: &ObjectProp<'_>| {
            let name = LocatedText { value: property.name.as_str().into(), at: property.start() };
            let Some(text) = property.value.as_string_lit() else {
                let message = format!("{} of {what} must be a text", shown(&name.value));
                return Err(self.document.refuse(name.at, message).with_hint("put it in quotes"));
            };
            let value = LocatedText { value: text.value.as_ref().into(), at: name.at };
            Ok((name, value))
        };
        self.object(value, what)?.properties.iter().map(pair).collect()
    }

    fn expected(&self, value: &Value<'_>, what: &str, kind: &str) -> Error {
        self.document.refuse(value.start(), format!("{what} must be {kind}"))
    }
}

/// A key as a person may see it.
pub(super) fn shown(key: &str) -> String {
    format!("`{}`", crate::model::cut(&escape(key), 80))
}
