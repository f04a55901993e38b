//! One condition on one argument.

mod constraint;
#[cfg(test)]
mod tests;

pub use constraint::{Condition, Constraint};
pub(super) use constraint::{NAME_LIMIT, TEXT_LIMIT, holds_for_each, quoted};
