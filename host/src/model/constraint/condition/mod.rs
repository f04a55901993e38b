//! One condition on one argument.

use super::{host, likeness, path};
use crate::model::{is_hidden, redact};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::{self, Write};

/// Longest text of a condition: what is longer is no path or name that a person could judge.
pub(super) const TEXT_LIMIT: usize = 1024;

/// Longest name of an argument.
pub(super) const NAME_LIMIT: usize = 128;

/// One condition on one argument. A grant holds only if all of its conditions do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    /// The name of the argument, at the top of the call's object.
    pub argument: String,
    /// What it must be.
    pub is: Condition,
}

/// What an argument must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// A path of this folder, or below it; of a list, every one. Only the path's words are looked at, not what links there are.
    Under(String),
    /// A URL of this host, by `http` or `https`; of a list, every one. Without a port it is the usual one that is meant.
    Host(String),
    /// Exactly this.
    Equals(Value),
}

impl Condition {
    /// Returns its name and its value, as they are written.
    pub(crate) fn written(&self) -> (&'static str, Value) {
        match self {
            Condition::Under(folder) => ("under", folder.as_str().into()),
            Condition::Host(host) => ("host", host.as_str().into()),
            Condition::Equals(value) => ("equals", value.clone()),
        }
    }
}

impl Constraint {
    /// Returns a condition on an argument.
    pub fn new(argument: impl Into<String>, is: Condition) -> Constraint {
        Constraint { argument: argument.into(), is }
    }

    /// Returns whether arguments meet the condition. An argument that is not there meets none.
    pub fn holds(&self, arguments: &Value) -> bool {
        let given = arguments.as_object().and_then(|given| given.get(&self.argument));
        given.is_some_and(|given| match &self.is {
            Condition::Under(folder) => each(given, |text| path::is_under(text, folder)),
            Condition::Host(host) => each(given, |text| host::is_at(text, host)),
            Condition::Equals(value) => given == value,
        })
    }

    /// Returns whether arguments meet all of some conditions. Where one of these is on a path or a URL, there must be no other in
    /// the arguments, at whatever depth, that no condition is on: who allows a folder or a host means that one alone.
    pub fn all_hold(constraints: &[Constraint], arguments: &Value) -> bool {
        constraints.iter().all(|constraint| constraint.holds(arguments))
            && (!constraints.iter().any(Constraint::is_of_place)
                || !Constraint::leave_free(constraints, arguments))
    }

    /// Returns whether arguments have a path or a URL that none of some conditions is on.
    pub(super) fn leave_free(constraints: &[Constraint], arguments: &Value) -> bool {
        let held = |name: &str| constraints.iter().any(|constraint| constraint.argument == name);
        let given = arguments.as_object().into_iter().flatten();
        given.into_iter().any(|(name, value)| {
            !held(name) && likeness::leads_elsewhere(name, value)
                || likeness::leads_elsewhere("", &json!({ name: null }))
        })
    }

    /// Whether the condition is on a path or a URL.
    fn is_of_place(&self) -> bool {
        matches!(self.is, Condition::Under(_) | Condition::Host(_))
    }

    /// Returns why no argument could ever meet the condition, as the end of a sentence; nothing if one can.
    pub fn flaw(&self) -> Option<&'static str> {
        let name_fits = (1..=NAME_LIMIT).contains(&self.argument.len());
        if !name_fits || self.argument.chars().any(is_hidden) {
            return Some("is no name of an argument");
        }
        match &self.is {
            Condition::Under(folder) if path::place(folder).is_none() => {
                Some("is under no plain folder")
            }
            Condition::Host(host) if host::named(host).is_none() => Some("is at no plain host"),
            Condition::Equals(value) if value.to_string().len() > TEXT_LIMIT => {
                Some("has a value that is too long to judge")
            }
            _ => None,
        }
    }
}

/// Whether something holds for a text, or for every text of a list that has some.
fn each(given: &Value, holds: impl Fn(&str) -> bool) -> bool {
    match given {
        Value::String(text) => holds(text),
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| item.as_str().is_some_and(&holds))
        }
        _ => false,
    }
}

/// For people: `` `path` under `/home/ann/notes` ``. Whatever the texts are, they end where they seem to.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote(f, &self.argument)?;
        match &self.is {
            Condition::Under(folder) => {
                f.write_str(" under ")?;
                quote(f, folder)
            }
            Condition::Host(host) => {
                f.write_str(" at the host ")?;
                quote(f, host)
            }
            Condition::Equals(value) => {
                f.write_str(" equal to ")?;
                // Under its name: that may be what makes it a secret.
                match &redact(&json!({ &self.argument: value }))[&self.argument] {
                    Value::String(text) => quote(f, text),
                    value => quote(f, &value.to_string()),
                }
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('`')?;
    for c in text.chars() {
        match is_hidden(c) || c == '`' {
            true => write!(f, "{}", c.escape_unicode())?,
            false => f.write_char(c)?,
        }
    }
    f.write_char('`')
}

#[cfg(test)]
mod tests;
