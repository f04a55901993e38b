//! What an argument must be for a grant to cover a call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// A path of this folder, or below it. Only the path's words are looked at, not what links there are.
    Under(String),
    /// A URL of this host.
    Host(String),
    /// Exactly this.
    Equals(Value),
}

impl Constraint {
    /// Returns a condition on an argument.
    pub fn new(argument: impl Into<String>, is: Condition) -> Constraint {
        Constraint { argument: argument.into(), is }
    }
}
