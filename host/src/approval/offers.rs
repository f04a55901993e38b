//! Conditions under which a tool can be allowed for good, as a person chooses among them.

use crate::model::{Ask, Constraint, offered_constraints};

/// Returns the conditions under which a call like this may be allowed for good, each a choice of its own, the most useful first.
pub fn offers_of_ask(ask: &Ask) -> Vec<Vec<Constraint>> {
    match ask.kind.may_be_always() {
        true => offered_constraints(&ask.arguments),
        false => Vec::new(),
    }
}

/// Returns conditions in words, on one line. What comes from the call is escaped.
///
/// ```
/// use pml::{Condition, Constraint};
///
/// let constraint = Constraint::new("path", Condition::Under("/home/ann".into()));
/// assert_eq!(pml::words_of_constraints(&[constraint]), "`path` under `/home/ann`");
/// ```
pub fn words_of_constraints(constraints: &[Constraint]) -> String {
    constraints.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}
