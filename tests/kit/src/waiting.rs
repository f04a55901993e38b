//! How tests wait: for a condition, never for a span of time.

use std::time::{Duration, Instant};

/// The longest that any condition takes, on a machine that is busy with other builds. A test that waits longer fails.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Asks again and again until `holds` returns true.
///
/// # Panics
///
/// If it does not within [`PATIENCE`]; `what` names the condition.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Asks again and again until `holds` returns true, and lets other tasks run meanwhile.
///
/// # Panics
///
/// If it does not within [`PATIENCE`]; `what` names the condition.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub async fn wait_until_async(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
