//! Logs a call that was sent: its tool, its outcome, and how long it took.
//!
//! **Invariant:** the log has nothing of the arguments and of the answer.

use crate::model::{CallError, CallId, RunId, ToolName, format_span};
use crate::run::perform::PerformOutcome;
use crate::store::size_of_outcome;
use std::time::Instant;
use tracing::{Level, debug, enabled};

/// A call that is sent now. Holds `None` if the log level is off.
pub(super) struct SentCall(Option<(RunId, CallId, ToolName, Instant)>);

impl SentCall {
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) fn new(run: RunId, call: CallId, tool: &ToolName) -> SentCall {
        if !enabled!(target: "pml::call", Level::DEBUG) {
            return SentCall(None);
        }
        debug!(target: "pml::call", %run, call = call.number(), tool = tool.as_str(), "call sent");
        SentCall(Some((run, call, tool.clone(), Instant::now())))
    }

    pub(super) fn log(self, outcome: &PerformOutcome) {
        let Some((run, call, tool, began)) = self.0 else { return };
        let (call, tool, took) = (call.number(), tool.as_str(), format_span(began.elapsed()));
        match outcome {
            PerformOutcome::Settled(settled, error) => {
                let code = error.as_ref().map(CallError::known_code);
                let bytes = size_of_outcome(settled);
                debug!(target: "pml::call", %run, call, tool, took, bytes, code, "call answered");
            }
            PerformOutcome::Changed(..) => {
                debug!(target: "pml::call", %run, call, tool, took, "call decided again");
            }
        }
    }
}
