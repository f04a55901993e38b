//! The calls of a run that failed, whether or not its program caught the error.

use crate::model::CallResult;
use crate::store::{StoredRun, Timeline};
use serde::Serialize;

/// Most failed calls that are listed: the first ones say what is wrong.
const MAX_FAILURES: usize = 50;
/// Longest message that is listed, in characters.
const MESSAGE: usize = 2_000;

/// A call that failed. Its texts come from a program or a server and may hold anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolFailure {
    /// The tool as the program wrote it.
    pub tool: String,
    /// The message of the error.
    pub error: String,
    /// The code of the error, such as `TOOL_DENIED`.
    pub code: String,
}

impl ToolFailure {
    /// Reads the failed calls of a stored run, in the order in which the program got their errors,
    /// at most 50.
    pub fn all_of(stored: &StoredRun) -> Vec<ToolFailure> {
        let timeline = Timeline::of(&stored.entries);
        let failures = timeline.outcomes.iter().filter_map(|outcome| {
            let CallResult::Error { code, message, .. } = outcome.settled else { return None };
            let call = timeline.calls.get(&outcome.call)?;
            Some(ToolFailure {
                tool: call.tool.to_owned(),
                error: message.chars().take(MESSAGE).collect(),
                code: code.clone(),
            })
        });
        failures.take(MAX_FAILURES).collect()
    }

    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.tool.len() + self.error.len() + self.code.len()
    }
}
