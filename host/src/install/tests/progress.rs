//! Callbacks for the progress of an installation.

use crate::model::{Progress, ProgressCallback};
use std::sync::{Arc, Mutex};

/// Ignores all progress.
pub(super) fn ignore_progress() -> ProgressCallback {
    Arc::new(|_| {})
}

/// Collects all progress.
pub(super) fn record_progress() -> (ProgressCallback, Arc<Mutex<Vec<Progress>>>) {
    let reports: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sink = reports.clone();
    (Arc::new(move |progress| sink.lock().expect("a list").push(progress)), reports)
}
