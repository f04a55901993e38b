//! What the log says of a call that is out: its tool, how it came back, and how long that took.
//!
//! **Invariant:** nothing of its arguments and its answer.

use crate::model::{CallError, CallId, RunId, ToolName, span};
use crate::run::calls::open_calls::InFlightResult;
use crate::store::size_of_outcome;
use std::time::Instant;
use tracing::{Level, debug, enabled};

/// A call that goes out now. It costs nothing where nobody reads the log.
pub(super) struct Sent(Option<(RunId, CallId, ToolName, Instant)>);

impl Sent {
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) fn of(run: RunId, call: CallId, tool: &ToolName) -> Sent {
        if !enabled!(target: "pml::call", Level::DEBUG) {
            return Sent(None);
        }
        debug!(target: "pml::call", %run, call = call.number(), tool = tool.as_str(), "call sent");
        Sent(Some((run, call, tool.clone(), Instant::now())))
    }

    pub(super) fn landed(self, landed: &InFlightResult) {
        let Some((run, call, tool, began)) = self.0 else { return };
        let (call, tool, took) = (call.number(), tool.as_str(), span(began.elapsed()));
        match landed {
            InFlightResult::Settled(settled, error) => {
                let code = error.as_ref().map(CallError::known_code);
                let bytes = size_of_outcome(settled);
                debug!(target: "pml::call", %run, call, tool, took, bytes, code, "call answered");
            }
            _ => debug!(target: "pml::call", %run, call, tool, took, "call decided again"),
        }
    }
}
