//! Removes the blanks between the parts of a JSON text.

use super::weigh::DEPTH;
use super::{HaltReason, WorkSlice};
use crate::model::CallError;

/// Bytes between two checks of the budget.
const CHECK_INTERVAL: usize = 64 << 10;

/// The reason why a text was not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompactError {
    /// It nests deeper than a parser accepts.
    TooDeep,
    /// The work was stopped.
    Halted(HaltReason),
}

impl From<CompactError> for CallError {
    fn from(error: CompactError) -> CallError {
        match error {
            CompactError::TooDeep => {
                let message = format!("its answer nests deeper than {DEPTH} levels");
                CallError::tool(message)
            }
            CompactError::Halted(halt) => halt.into(),
        }
    }
}

/// Returns a valid JSON text without blanks between its parts, otherwise unchanged.
pub(crate) fn compact(text: &str, slice: &WorkSlice<'_>) -> Result<String, CompactError> {
    let mut out = String::with_capacity(text.len());
    let (bytes, mut at, mut last_check) = (text.as_bytes(), 0, 0);
    let mut depth = 0usize;
    while at < bytes.len() {
        let start = at;
        if bytes[at] == b'"' {
            at = end_of_string(bytes, at + 1);
        } else {
            while let Some(byte) = bytes.get(at).filter(|byte| !is_blank(**byte) && **byte != b'"')
            {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at += 1;
            }
            if depth > DEPTH {
                return Err(CompactError::TooDeep);
            }
        }
        out.push_str(&text[start..at]);
        at += bytes[at..].iter().take_while(|byte| is_blank(**byte)).count();
        if at - last_check > CHECK_INTERVAL {
            last_check = at;
            slice.check().map_err(CompactError::Halted)?;
        }
    }
    Ok(out)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns the position behind the closing quote of the string whose content begins at `at`, or the
/// end of the text if there is none.
pub(super) fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => return at,
            b'\\' => at += 1,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{CompactError, compact};
    use crate::model::cost::RunBudget;

    fn short(text: &str) -> String {
        let compacted = RunBudget::without_run().work_here(1, |work| compact(text, &work.begin()));
        compacted.expect("time is left")
    }

    #[test]
    fn only_blanks_between_parts_go() {
        assert_eq!(
            short(" { \"a b\" :\n[ 1 ,\t\"\\\" é \" , null ] } "),
            "{\"a b\":[1,\"\\\" é \",null]}"
        );
        for same in ["1", "\"\"", "[]", "{\"\\\\\":1}", "-1.50e+3"] {
            assert_eq!(short(same), same);
        }
    }

    #[test]
    fn what_nests_too_deep_is_refused() {
        let nested = |depth: usize| format!("{}0 {}", "[".repeat(depth), "]".repeat(depth));
        let compacted = |text: &str| {
            RunBudget::without_run()
                .work_here(1, |work| compact(text, &work.begin()).map(|text| text.len()))
        };
        assert_eq!(compacted(&nested(127)), Ok(255));
        assert_eq!(compacted(&nested(129)), Err(CompactError::TooDeep));
    }
}
