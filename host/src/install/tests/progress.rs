//! Callbacks for the progress of an installation.

use crate::model::{Progress, ProgressCallback};
use std::sync::{Arc, Mutex};

/// Ignores all progress.
pub(super) fn quietly() -> ProgressCallback {
    Arc::new(|_| {})
}

/// Collects all progress.
pub(super) fn listening() -> (ProgressCallback, Arc<Mutex<Vec<Progress>>>) {
    let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let ear = heard.clone();
    (Arc::new(move |progress| ear.lock().expect("a list").push(progress)), heard)
}
