//! Waits for conditions.

use std::time::Duration;

/// Longer than anything here takes on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// Polls until `done` returns `true`, since the observed state sends no notifications.
pub(super) async fn eventually(what: &str, done: impl Fn() -> bool) {
    let polling = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, polling).await.unwrap_or_else(|_| panic!("never: {what}"));
}
