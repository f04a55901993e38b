//! Writes a JSON value as text, up to a length.

use super::{HaltReason, WorkSlice};
use serde_json::Value;
use std::io;

/// Bytes between two checks of the budget.
const CHECK_INTERVAL: usize = 64 << 10;

/// Initial capacity: most texts are short.
const INITIAL_CAPACITY: usize = 128;

/// The reason why a value was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WriteError {
    /// It is longer than this many bytes.
    TooLarge(usize),
    /// The work was stopped.
    Halted(HaltReason),
}

/// Writes a value as JSON of at most `limit` bytes.
pub(crate) fn write(
    value: &Value,
    limit: usize,
    slice: &WorkSlice<'_>,
) -> Result<String, WriteError> {
    let mut out = BoundedWriter {
        text: Vec::with_capacity(INITIAL_CAPACITY),
        limit,
        last_check: 0,
        slice,
        halt: None,
    };
    match serde_json::to_writer(&mut out, value) {
        // JSON is always UTF-8.
        Ok(()) => String::from_utf8(out.text).map_err(|_| WriteError::TooLarge(limit)),
        Err(_) => Err(out.halt.map_or(WriteError::TooLarge(limit), WriteError::Halted)),
    }
}

struct BoundedWriter<'a> {
    text: Vec<u8>,
    limit: usize,
    last_check: usize,
    slice: &'a WorkSlice<'a>,
    halt: Option<HaltReason>,
}

impl io::Write for BoundedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        if self.text.len() - self.last_check > CHECK_INTERVAL {
            self.last_check = self.text.len();
            if let Err(halt) = self.slice.check() {
                self.halt = Some(halt);
                // `Interrupted` would mean that the write is tried again.
                return Err(io::ErrorKind::Other.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{WriteError, write};
    use crate::model::Limits;
    use crate::model::cost::{CpuUse, HaltReason, RunBudget};
    use serde_json::{Value, json};
    use std::time::Duration;

    #[test]
    fn what_is_too_long_is_not_written() {
        let budget = RunBudget::without_run();
        budget.work_here(1, |work| {
            let slice = work.begin();
            assert_eq!(write(&json!([1, "é"]), 8, &slice).as_deref(), Ok("[1,\"é\"]"));
            assert_eq!(write(&json!([1, "é"]), 7, &slice), Err(WriteError::TooLarge(7)));
        });
    }

    #[test]
    fn a_long_text_ends_with_the_cpu_time() {
        let limits = Limits { cpu_time: Duration::from_nanos(1), ..Limits::default() };
        let value = Value::from(vec![0; 1 << 20]);
        let written = RunBudget::new(&limits, CpuUse::default())
            .work_here(usize::MAX, |work| write(&value, usize::MAX, &work.begin()));
        assert_eq!(written, Err(WriteError::Halted(HaltReason::CpuTime)));
    }
}
