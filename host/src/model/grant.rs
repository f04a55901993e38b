//! What a person allowed for good.

use super::{Constraint, Origin, ToolName};
use serde_json::Value;

/// A tool that need not be asked about any more, as long as it stays what it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// The tool.
    pub tool: ToolName,
    /// Its definition and its server, where they were known: if one changes, the grant lapses.
    pub origin: Option<Origin>,
    /// What the arguments must be.
    pub constraints: Vec<Constraint>,
}

impl Grant {
    /// Returns a grant.
    pub fn new(tool: ToolName, origin: Option<Origin>, constraints: Vec<Constraint>) -> Grant {
        Grant { tool, origin, constraints }
    }

    /// Returns whether it is meant for a call with these arguments.
    pub fn allows(&self, arguments: &Value) -> bool {
        let _ = arguments;
        self.constraints.is_empty()
    }
}
