//! Policy: which tools may be called, refused, or asked about.
//!
//! A [`Policy`] is made from a [`Config`](crate::Config) and says for a tool whether its calls go,
//! ask, or are denied. A [`Grant`] is a permanent permission of a person, with its conditions.

pub use crate::model::{Condition, Constraint, Grant, GrantVersion, ToolPattern};
pub use crate::router::{Policy, PolicyDecision};
