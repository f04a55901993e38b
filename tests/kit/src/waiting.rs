//! How tests wait: for a condition, never for a span of time.

use std::time::{Duration, Instant};

/// The longest that any condition takes, on a machine that is busy with other builds. A test that
/// waits longer fails.
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

/// Does the same as [`wait_until`], and lets other tasks run meanwhile.
///
/// # Panics
///
/// If it does not hold within [`PATIENCE`]; `what` names the condition.
pub async fn eventually(what: &str, holds: impl Fn() -> bool) {
    wait_until_async(what, || std::future::ready(holds())).await;
}

/// Waits until `span` has passed. Only for tests about limits of time, and only where it does no
/// harm if it takes longer.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub fn outlast(span: Duration) {
    let start = Instant::now();
    wait_until("time passes", || start.elapsed() > span);
}

/// Waits until `span` has passed, like [`outlast`], and lets other tasks run meanwhile.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub async fn outlast_async(span: Duration) {
    let start = Instant::now();
    wait_until_async("time passes", || async { start.elapsed() > span }).await;
}

/// Asks again and again until `holds` returns true, and lets other tasks run meanwhile.
///
/// # Panics
///
/// If it does not within [`PATIENCE`]; `what` names the condition.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub async fn wait_until_async<F>(what: &str, mut holds: impl FnMut() -> F)
where
    F: Future<Output = bool>,
{
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
