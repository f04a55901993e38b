//! Constraints and their conditions.

use super::super::coverage::describe_steps;
use super::super::{PathResolver, host, path, pointer};
use crate::model::{is_hidden, redact};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// Longest text of a condition: no person could judge a longer path or name.
pub(in crate::model::constraint) const TEXT_LIMIT: usize = 1024;

/// Longest name of an argument.
pub(in crate::model::constraint) const NAME_LIMIT: usize = 128;

/// Texts of a list that are checked one by one. A call with more is asked about: each text may cost
/// a disk access.
const LIST_LIMIT: usize = 256;

/// One condition on one argument. A grant covers a call only if all of its conditions hold, and if
/// they name every argument of the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    /// The argument: its name at the top level of the arguments or, if it begins with `/`, a JSON
    /// Pointer into them.
    pub argument: String,
    /// The condition.
    pub is: Condition,
}

/// A condition on the value of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// The path of this folder, or a path below it. In a list, every item must be one. Links that
    /// exist when the call is made are followed first.
    Under(String),
    /// A URL of this host by `https`, or by `http` if the host begins with `http://`. In a list,
    /// every item must be one. Without a port, the default port is meant.
    Host(String),
    /// Exactly this value.
    Equals(Value),
    /// Any value. The argument may also be missing.
    Any,
}

impl Condition {
    /// Returns its name and its value, in their serialised form.
    pub(crate) fn written(&self) -> (&'static str, Value) {
        match self {
            Condition::Under(folder) => ("under", folder.as_str().into()),
            Condition::Host(host) => ("host", host.as_str().into()),
            Condition::Equals(value) => ("equals", value.clone()),
            Condition::Any => ("any", true.into()),
        }
    }

    /// Reports whether the condition holds for a value.
    pub(in crate::model::constraint) fn holds(
        &self,
        given: &Value,
        paths: &dyn PathResolver,
    ) -> bool {
        match self {
            Condition::Under(folder) => {
                holds_for_each(given, |text| path::is_under(text, folder, paths))
            }
            Condition::Host(host) => holds_for_each(given, |text| host::is_at_host(text, host)),
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

    /// Returns the reason why the condition can hold for no argument, as the end of a sentence, or
    /// `None` if it can hold.
    pub fn flaw(&self) -> Option<&'static str> {
        if !self.names_argument() {
            return Some("does not name an argument");
        }
        match &self.is {
            Condition::Under(folder) if !is_plain_folder(folder) => {
                Some("must name a folder without `..`")
            }
            Condition::Host(host) if host::origin_of_host(host).is_none() => {
                Some("must name a host, as in `host.example`")
            }
            Condition::Equals(value) if value.to_string().len() > TEXT_LIMIT => {
                Some("has a value that is too long to compare")
            }
            _ => None,
        }
    }

    /// Reports whether its name can be the name of an argument.
    pub(crate) fn names_argument(&self) -> bool {
        (1..=NAME_LIMIT).contains(&self.argument.len())
            && !self.argument.chars().any(is_hidden)
            && pointer::steps(&self.argument).is_some()
    }
}

/// Reports whether a condition can require paths to lie in this folder.
fn is_plain_folder(folder: &str) -> bool {
    path::resolve_lexically(folder).is_some_and(|folder| folder.start != path::PathStart::Home)
}

/// Reports whether `holds` is true for a text, or for every item of a non-empty list of texts.
pub(in crate::model::constraint) fn holds_for_each(
    given: &Value,
    holds: impl Fn(&str) -> bool,
) -> bool {
    match given {
        Value::String(text) => holds(text),
        Value::Array(items) => {
            (1..=LIST_LIMIT).contains(&items.len())
                && items.iter().all(|item| item.as_str().is_some_and(&holds))
        }
        _ => false,
    }
}

/// Writes the constraint for people: `` `path` under `/home/ann/notes` ``. Backticks in texts are
/// escaped, so that every text ends where it seems to end.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = pointer::steps(&self.argument).unwrap_or_else(|| vec![self.argument.clone()]);
        f.write_str(&describe_steps(&steps))?;
        match &self.is {
            Condition::Under(folder) => write!(f, " under {}", quoted(folder)),
            Condition::Host(host) => write!(f, " at the host {}", quoted(host)),
            Condition::Equals(value) => {
                // The value is redacted together with its name: the name may be what makes it a
                // secret.
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

/// Returns a text between backticks; backticks in it are escaped.
pub(in crate::model::constraint) fn quoted(text: &str) -> String {
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
