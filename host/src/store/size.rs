//! How many bytes a journal keeps of a run.
//!
//! **Invariant:** the same run has the same size whenever it is counted, in memory and on disk: nothing of it is stored.

use super::audit::body;
use super::{Entry, Header, Note, Stored, Verdict, What};
use crate::model::{Question, Settled};
use serde::Serialize;
use std::io;

/// What each row takes beside its texts.
const ROW: usize = 128;

/// What a question is kept in: its entry, its row and the audit trail.
const COPIES: usize = 3;

impl Header {
    /// Returns about how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        let texts = [&self.program, &self.inputs, &self.script, &self.trace];
        let kept = self.checkpoint.as_ref().map_or(0, String::len);
        2 * ROW + texts.iter().map(|text| text.len()).sum::<usize>() + kept
    }
}

impl What {
    /// Returns about how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        ROW + match self {
            What::Requested { tool, arguments, verdict, .. } => {
                let refused = match verdict {
                    Verdict::Refuse { message, .. } => message.len(),
                    Verdict::Ask { reason, .. } => reason.len(),
                    _ => 0,
                };
                tool.len() + arguments.as_ref().map_or(0, String::len) + refused
            }
            What::Asked { question } => size_of_question(question),
            What::Settled { settled, .. } => size_of_outcome(settled),
            What::Executing { tool, .. } => tool.as_str().len() + ROW,
            What::Ended { ending } => ending.len(),
            _ => 0,
        }
    }
}

impl Note {
    /// Returns about how many bytes it takes in the trail.
    pub(crate) fn size(&self) -> usize {
        ROW + json(&body(0, self))
    }
}

impl Stored {
    /// Returns about how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.header.size() + self.entries.iter().map(Entry::size).sum::<usize>()
    }
}

impl Entry {
    fn size(&self) -> usize {
        self.what.size()
    }
}

/// The bytes of an outcome's texts.
pub(crate) fn size_of_outcome(settled: &Settled) -> usize {
    match settled {
        Settled::Value(text) => text.len(),
        Settled::Error { code, message, data } => {
            code.len() + message.len() + data.as_ref().map_or(0, String::len)
        }
    }
}

fn size_of_question(question: &Question) -> usize {
    COPIES * json(question)
}

/// The length of a value as JSON.
fn json(value: &impl Serialize) -> usize {
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
    // What cannot be written takes nothing.
    let _ = serde_json::to_writer(&mut length, value);
    length.0
}

#[cfg(test)]
mod tests {
    use super::{ROW, What};
    use crate::model::{CallId, Settled};
    use crate::store::Verdict;

    #[test]
    fn an_entry_takes_its_texts_and_a_row() {
        let requested = |arguments| What::Requested {
            call: CallId(1),
            tool: "a:b".into(),
            arguments,
            verdict: Verdict::Go,
        };
        assert_eq!(requested(Ok("x".repeat(1000))).size(), ROW + 1003);
        assert_eq!(requested(Err(1000)).size(), ROW + 3);
        let settled = Settled::Error {
            code: "C".into(),
            message: "m".repeat(10),
            data: Some("d".repeat(100)),
        };
        assert_eq!(What::Settled { call: CallId(1), settled }.size(), ROW + 111);
        assert_eq!(What::Cancelled { call: CallId(1), sent: true }.size(), ROW);
    }
}
