//! The conditions that a person can choose from when they allow a tool permanently.

use crate::model::{Ask, Constraint, offered_constraints};

/// Returns the conditions under which a call like this may be allowed permanently. Each is one
/// choice; the most useful comes first. Choices stored in the ask take precedence over computed
/// ones, so that everybody who is asked sees the same choices, even if the paths in the arguments
/// change meanwhile.
pub fn suggest_constraints(ask: &Ask) -> Vec<Vec<Constraint>> {
    match (ask.kind.may_be_always(), &ask.offers) {
        (false, _) => Vec::new(),
        (true, Some(offers)) => offers.clone(),
        (true, None) => offered_constraints(&ask.arguments),
    }
}

/// Describes conditions on one line. Text that comes from the call is escaped.
///
/// ```
/// use pml::approval::{Condition, Constraint};
///
/// let path = Constraint::new("path", Condition::Under("/home/ann".into()));
/// let content = Constraint::new("content", Condition::Any);
/// let words = pml::approval::describe_constraints(&[path, content]);
/// assert_eq!(words, "`path` under `/home/ann`, `content`: anything");
/// ```
pub fn describe_constraints(constraints: &[Constraint]) -> String {
    constraints.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
