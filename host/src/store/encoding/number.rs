//! Numbers and JSON as they are stored.

use serde::Serialize;
use std::time::Duration;

/// Returns an unsigned number bit for bit as a signed one.
pub(super) fn signed(number: u64) -> i64 {
    number as i64
}

/// Returns the unsigned number that was stored as a signed one.
pub(in crate::store) fn unsigned(number: i64) -> u64 {
    number as u64
}

/// Returns a duration in nanoseconds; 292 years fit.
pub(super) fn nanoseconds(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns plain data as JSON.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text as keys is always JSON")
}
