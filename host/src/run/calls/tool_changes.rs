//! Compares a tool with the version that a grant, an earlier call or a decision relied on.

use crate::model::{ChangeBaseline, Constraint, Difference, Grant, ResolvedTool, ToolChange};
use crate::model::{ToolName, ToolOrigin};
use crate::router::RoutedTool;
use serde_json::Value;
use std::collections::HashMap;

/// The origin that each tool had when this run last called it.
#[derive(Default)]
pub(super) struct CalledOrigins(HashMap<ToolName, ToolOrigin>);

impl CalledOrigins {
    /// Remembers the origin of a tool that is called now.
    pub(super) fn remember(&mut self, tool: &ResolvedTool) {
        if let Some(origin) = &tool.origin
            && self.0.get(&tool.tool) != Some(origin)
        {
            self.0.insert(tool.tool.clone(), origin.clone());
        }
    }

    /// Returns how a tool differs from what this run called before. A tool whose origin is unknown
    /// counts as the same.
    pub(super) fn change(&self, found: &RoutedTool) -> Option<ToolChange> {
        let now = found.origin.as_ref()?;
        let before = self.0.get(&found.tool).filter(|before| *before != now)?;
        Some(difference(found, before, ChangeBaseline::EarlierCall))
    }
}

/// Returns how a tool, or the meaning of conditions, differs from what a grant allows.
pub(super) fn change_since_grant(
    found: &RoutedTool,
    arguments: impl FnOnce() -> Value,
    grant: &Grant,
) -> ToolChange {
    let before = grant.origin.as_ref().filter(|_| !grant.matches_origin(found.origin.as_ref()));
    let mut change = match before {
        Some(before) => difference(found, before, ChangeBaseline::Grant),
        None => ToolChange::new(ChangeBaseline::Grant, Vec::new()),
    };
    if grant.has_older_conditions() {
        let offers = found.offers(&arguments(), &grant.constraints);
        let text = |constraints: &[Constraint]| {
            let text: Vec<_> = constraints.iter().map(ToString::to_string).collect();
            text.join(", ")
        };
        let now = match offers.first() {
            Some(offer) => format!("{}; other arguments ask", text(offer)),
            None => "a condition for each argument".to_owned(),
        };
        let before = format!("{}; other arguments were allowed", text(&grant.constraints));
        change.differences.push(Difference::new("conditions", Some(before), Some(now)));
        change = change.with_conditions(grant.constraints.clone());
    }
    change
}

/// Returns how a tool differs from `before`.
pub(super) fn difference(
    found: &RoutedTool,
    before: &ToolOrigin,
    since: ChangeBaseline,
) -> ToolChange {
    let now = found.origin.as_ref();
    let differences = now.map_or_else(Vec::new, |now| found.differences(before, now));
    ToolChange::new(since, differences)
}

/// Returns the reason for asking about a tool that has changed.
pub(super) fn change_reason(since: ChangeBaseline) -> &'static str {
    match since {
        ChangeBaseline::Grant => {
            "its definition or its server has changed since it was always allowed"
        }
        ChangeBaseline::EarlierCall => {
            "its definition or its server has changed since this run called it"
        }
        ChangeBaseline::Lock => "it differs from the lock of the project",
        ChangeBaseline::Approval => "it has changed since you approved it",
        ChangeBaseline::Decision => "its definition or its server has changed since it was shown",
    }
}
