//! The size of a run in a journal, in bytes.
//!
//! **Invariant:** the same run always has the same size, in memory and on disk. Sizes are computed,
//! never stored.

use super::audit::body;
use super::{AuditNote, CallVerdict, JournalEntry, JournalEvent, RunHeader, StoredRun};
use crate::model::{CallResult, Question};
use serde::Serialize;
use std::io;

/// Overhead of a row beside its texts.
const ROW: usize = 128;

/// Number of copies of a question: in its entry, its row and the audit trail.
const QUESTION_COPIES: usize = 3;

impl RunHeader {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        let texts = [&self.program, &self.inputs, &self.script, &self.trace];
        let checkpoint = self.checkpoint.as_ref().map_or(0, String::len);
        2 * ROW + texts.iter().map(|text| text.len()).sum::<usize>() + checkpoint
    }
}

impl JournalEvent {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        ROW + match self {
            JournalEvent::Requested { tool, arguments, verdict, .. } => {
                let reason_length = match verdict {
                    CallVerdict::Refuse { message, .. } => message.len(),
                    CallVerdict::Ask { reason, .. } => reason.len(),
                    _ => 0,
                };
                tool.len() + arguments.as_ref().map_or(0, String::len) + reason_length
            }
            JournalEvent::Asked { question } => size_of_question(question),
            JournalEvent::Settled { settled, .. } => size_of_outcome(settled),
            JournalEvent::Executing { tool, .. } => tool.as_str().len() + ROW,
            JournalEvent::Ended { ending } => ending.len(),
            _ => 0,
        }
    }
}

impl AuditNote {
    /// Returns its approximate size in the audit trail, in bytes.
    pub(crate) fn size(&self) -> usize {
        ROW + json_length(&body(0, self))
    }
}

impl StoredRun {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.header.size() + self.entries.iter().map(JournalEntry::size).sum::<usize>()
    }
}

impl JournalEntry {
    fn size(&self) -> usize {
        self.event.size()
    }
}

/// Returns the size of an outcome's texts in bytes.
pub(crate) fn size_of_outcome(settled: &CallResult) -> usize {
    match settled {
        CallResult::Value(text) => text.len(),
        CallResult::Error { code, message, data } => {
            code.len() + message.len() + data.as_ref().map_or(0, String::len)
        }
    }
}

fn size_of_question(question: &Question) -> usize {
    QUESTION_COPIES * json_length(question)
}

/// Returns the length of a value as JSON.
fn json_length(value: &impl Serialize) -> usize {
    struct Length(usize);

    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut length = Length(0);
    // A value that cannot be serialised counts as empty.
    let _ = serde_json::to_writer(&mut length, value);
    length.0
}

#[cfg(test)]
mod tests {
    use super::{JournalEvent, ROW};
    use crate::model::{CallId, CallResult};
    use crate::store::CallVerdict;

    #[test]
    fn an_entry_takes_its_texts_and_a_row() {
        let requested = |arguments| JournalEvent::Requested {
            call: CallId::numbered(1),
            tool: "a:b".into(),
            arguments,
            verdict: CallVerdict::Go,
        };
        assert_eq!(requested(Ok("x".repeat(1000))).size(), ROW + 1003);
        assert_eq!(requested(Err(1000)).size(), ROW + 3);
        let settled = CallResult::Error {
            code: "C".into(),
            message: "m".repeat(10),
            data: Some("d".repeat(100)),
        };
        assert_eq!(JournalEvent::Settled { call: CallId::numbered(1), settled }.size(), ROW + 111);
        assert_eq!(JournalEvent::Cancelled { call: CallId::numbered(1), sent: true }.size(), ROW);
    }
}
