//! Conditions under which a tool can be allowed for good, as a person chooses among them.

use crate::model::{Ask, Constraint, offered_constraints};

/// Returns the conditions under which a call like this may be allowed for good, each a choice of
/// its own, the most useful first. What the ask was made with counts: it is the same for everybody
/// who is asked, whatever becomes of the paths meanwhile.
pub fn offers_of_ask(ask: &Ask) -> Vec<Vec<Constraint>> {
    match (ask.kind.may_be_always(), &ask.offers) {
        (false, _) => Vec::new(),
        (true, Some(offers)) => offers.clone(),
        (true, None) => offered_constraints(&ask.arguments),
    }
}

/// Returns conditions in words, on one line. What comes from the call is escaped.
///
/// ```
/// use pml::approval::{Condition, Constraint};
///
/// let path = Constraint::new("path", Condition::Under("/home/ann".into()));
/// let content = Constraint::new("content", Condition::Any);
/// let words = pml::approval::words_of_constraints(&[path, content]);
/// assert_eq!(words, "`path` under `/home/ann`, `content`: anything");
/// ```
pub fn words_of_constraints(constraints: &[Constraint]) -> String {
    constraints.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
