//! One condition on one argument.

use super::coverage::words;
use super::{PathResolver, host, path, pointer};
use crate::model::{is_hidden, redact};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// Longest text of a condition: what is longer is no path or name that a person could judge.
pub(super) const TEXT_LIMIT: usize = 1024;

/// Longest name of an argument.
pub(super) const NAME_LIMIT: usize = 128;

/// Texts of a list that are looked at one by one. A call with more is asked about: each may cost a
/// look at the disk.
const LIST_LIMIT: usize = 256;

/// One condition on one argument. A grant holds only if all of its conditions do, and if they name
/// every argument of the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    /// The argument: its name at the top of the call's object or, if it begins with `/`, a JSON
    /// Pointer from there.
    pub argument: String,
    /// What it must be.
    pub is: Condition,
}

/// What an argument must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// A path of this folder, or below it; of a list, every one. Links that exist when the call is
    /// made are followed first.
    Under(String),
    /// A URL of this host by `https`, or by `http` if it begins with `http://`; of a list, every
    /// one. Without a port it is the usual one that is meant.
    Host(String),
    /// Exactly this.
    Equals(Value),
    /// Anything, whatever is in it. It may also be missing.
    Any,
}

impl Condition {
    /// Returns its name and its value, as they are written.
    pub(crate) fn written(&self) -> (&'static str, Value) {
        match self {
            Condition::Under(folder) => ("under", folder.as_str().into()),
            Condition::Host(host) => ("host", host.as_str().into()),
            Condition::Equals(value) => ("equals", value.clone()),
            Condition::Any => ("any", true.into()),
        }
    }

    /// Returns whether a value meets it.
    pub(super) fn holds(&self, given: &Value, paths: &dyn PathResolver) -> bool {
        match self {
            Condition::Under(folder) => each(given, |text| path::is_under(text, folder, paths)),
            Condition::Host(host) => each(given, |text| host::is_at(text, host)),
            Condition::Equals(value) => given == value,
            Condition::Any => true,
        }
    }
}

impl Constraint {
    /// Returns a condition on an argument.
    pub fn new(argument: impl Into<String>, is: Condition) -> Constraint {
        Constraint { argument: argument.into(), is }
    }

    /// Returns why no argument could ever meet the condition, as the end of a sentence; nothing if
    /// one can.
    pub fn flaw(&self) -> Option<&'static str> {
        if !self.names_argument() {
            return Some("is no name of an argument");
        }
        match &self.is {
            Condition::Under(folder) if !is_folder(folder) => Some("is under no plain folder"),
            Condition::Host(host) if host::named(host).is_none() => Some("is at no plain host"),
            Condition::Equals(value) if value.to_string().len() > TEXT_LIMIT => {
                Some("has a value that is too long to judge")
            }
            _ => None,
        }
    }

    /// Returns whether its name can be that of an argument.
    pub(crate) fn names_argument(&self) -> bool {
        (1..=NAME_LIMIT).contains(&self.argument.len())
            && !self.argument.chars().any(is_hidden)
            && pointer::steps(&self.argument).is_some()
    }
}

/// Whether paths can be held to a folder of this name.
fn is_folder(folder: &str) -> bool {
    path::place(folder).is_some_and(|folder| folder.start != path::PathStart::Home)
}

/// Whether something holds for a text, or for every text of a list that has some.
pub(super) fn each(given: &Value, holds: impl Fn(&str) -> bool) -> bool {
    match given {
        Value::String(text) => holds(text),
        Value::Array(items) => {
            (1..=LIST_LIMIT).contains(&items.len())
                && items.iter().all(|item| item.as_str().is_some_and(&holds))
        }
        _ => false,
    }
}

/// For people: `` `path` under `/home/ann/notes` ``. Whatever the texts are, they end where they
/// seem to.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = pointer::steps(&self.argument).unwrap_or_else(|| vec![self.argument.clone()]);
        f.write_str(&words(&steps))?;
        match &self.is {
            Condition::Under(folder) => write!(f, " under {}", quoted(folder)),
            Condition::Host(host) => write!(f, " at the host {}", quoted(host)),
            Condition::Equals(value) => {
                // Under its name: that may be what makes it a secret.
                let name = steps.last().map(String::as_str).unwrap_or_default();
                let text = match &redact(&json!({ name: value }))[name] {
                    Value::String(text) => quoted(text),
                    value => quoted(&value.to_string()),
                };
                write!(f, " equal to {text}")
            }
            Condition::Any => f.write_str(": anything"),
        }
    }
}

/// Returns a text between backticks, with none in it.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("`");
    for c in text.chars() {
        match is_hidden(c) || c == '`' {
            true => quoted.extend(c.escape_unicode()),
            false => quoted.push(c),
        }
    }
    quoted.push('`');
    quoted
}

#[cfg(test)]
mod tests;
