//! The history of a call, as far as it affects the decision on it.

use super::approval::{Approval, UnverifiedApproval};
use super::needs::AgreedNeed;
use crate::model::{Effects, ResolvedTool};
use std::sync::Arc;

/// The reason for asking about a call that an earlier run made.
pub(super) const MADE_BEFORE: &str = "the earlier run made this call, and its outcome is unknown";

/// The reason for asking about a call whose outcome is unknown.
pub(super) const UNCERTAIN: &str = "its outcome is unknown: the process ended while it ran";

/// The history of a call.
pub(super) enum CallContext {
    /// It has none.
    Fresh,
    /// It was sent before, and its outcome is unknown.
    Uncertain(Box<UncertainCall>),
    /// Its need was agreed to. It is decided on once the need is fulfilled.
    Agreed(AgreedNeed),
    /// The journal says that a person has approved it.
    Approved(Box<UnverifiedApproval>),
}

/// A call that was sent before.
pub(super) struct UncertainCall {
    /// Why its outcome is unknown.
    pub(super) reason: String,
    /// The tool that it was sent to. It serves as a name to ask about, and no more.
    sent: ResolvedTool,
    /// What a person has approved about it.
    pub(super) approval: Option<Arc<Approval>>,
}

impl UncertainCall {
    pub(super) fn new(
        reason: impl Into<String>,
        sent: ResolvedTool,
        approval: Option<Arc<Approval>>,
    ) -> UncertainCall {
        UncertainCall { reason: reason.into(), sent, approval }
    }

    /// Returns the tool to ask about if the tool can no longer be found.
    pub(super) fn sent_tool(&self) -> ResolvedTool {
        ResolvedTool { effects: Effects::Unknown, need: None, change: None, ..self.sent.clone() }
    }
}
