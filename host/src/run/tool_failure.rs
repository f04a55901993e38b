//! The calls of a run that failed, whether or not its program caught the error.

use crate::model::{CallResult, Code};
use crate::store::{StoredRun, Timeline};
use serde::Serialize;

/// Most failed calls that are listed: the first ones say what is wrong.
const MAX_FAILURES: usize = 50;
/// Longest message that is listed, in characters.
const MESSAGE: usize = 2_000;

/// Codes of calls that pml itself refuses, in its own words.
const REFUSALS: [Code; 5] = [
    Code::ToolUnknown,
    Code::ToolAmbiguous,
    Code::Untrusted,
    Code::ApiKeyRequired,
    Code::CloudRequired,
];

/// A call that failed. Its texts come from a program or a server and may hold anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolFailure {
    /// The tool as the program wrote it.
    pub tool: String,
    /// The message of the error.
    pub error: String,
    /// What to do about it, if pml refused the call. Texts of servers are not taken apart: they
    /// could hold a hint of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
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
            let (error, hint) = refusal_parts(code, message).unwrap_or((message, ""));
            Some(ToolFailure {
                tool: call.tool.to_owned(),
                error: error.chars().take(MESSAGE).collect(),
                hint: (!hint.is_empty()).then(|| hint.chars().take(MESSAGE).collect()),
                code: code.clone(),
            })
        });
        failures.take(MAX_FAILURES).collect()
    }

    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        let hint = self.hint.as_ref().map_or(0, String::len);
        self.tool.len() + self.error.len() + hint + self.code.len()
    }

    /// Reports whether this is the text that a program got of the error.
    pub(super) fn has_text(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.error.as_str());
        match &self.hint {
            Some(hint) => rest.and_then(|rest| rest.strip_prefix(HINT)) == Some(hint),
            None => rest == Some(""),
        }
    }
}

/// What stands between a message and its hint in the text that a program gets.
const HINT: &str = "\nhint: ";

/// Returns the message and the hint of a call that pml refused. A program gets both as one text.
pub(super) fn refusal_parts<'t>(code: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    REFUSALS.iter().find(|refusal| refusal.as_str() == code)?;
    let (message, hint) = text.rsplit_once(HINT)?;
    (!hint.contains('\n')).then_some((message, hint))
}

#[cfg(test)]
mod tests {
    use super::refusal_parts;

    #[test]
    fn only_texts_of_pml_are_taken_apart() {
        assert_eq!(refusal_parts("TOOL_UNKNOWN", "no\nhint: do"), Some(("no", "do")));
        assert_eq!(refusal_parts("TOOL_FAILED", "no\nhint: do"), None);
        assert_eq!(refusal_parts("TOOL_UNKNOWN", "no\nhint: do\nmore"), None);
    }
}
