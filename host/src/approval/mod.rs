//! Asks a person for a decision.
//!
//! Input: a question. Output: an answer, or `None` if no person can be asked. An answer takes
//! effect only once the journal has recorded it; the first recorded answer wins.

mod approver;
mod offers;
mod show;

pub use crate::config::GrantWriter;
pub use crate::model::{
    Answer, Ask, AskId, AskKind, ChangeBaseline, ChangedServer, Condition, Constraint, Decision,
    Decisions, DiffPiece, Difference, Ecosystem, MissingVariables, Need, Package, Question,
    QuestionId, RecordedDecision, ToolChange, TrustNeed, differences_of, offered_constraints,
};
pub use approver::{Approver, approver_from_fn};
pub use offers::{describe_constraints, suggest_constraints};
pub use show::{
    describe_package, details_of_ask, details_of_ask_with, lines_of_ask, lines_of_ask_with,
};
