//! The progress of work that takes a while.

use super::{cut, escape};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Maximum number of characters of a message that are kept: nobody reads more in a line.
const MAX_MESSAGE: usize = 300;

/// The progress of some work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// The work, for people; foreign text in it is escaped.
    pub what: String,
    /// The amount that is done.
    pub done: u64,
    /// The whole amount, if it is known.
    pub total: Option<u64>,
    /// The stage of the work.
    pub stage: WorkStage,
}

/// The stage of work that a call needs before it can be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkStage {
    /// A package is resolved or installed.
    #[default]
    Installing,
    /// The package is there, and its server is started.
    Starting,
}

impl Progress {
    /// Returns the progress of an installation.
    pub fn new(what: impl Into<String>, done: u64, total: Option<u64>) -> Progress {
        Progress { what: what.into(), done, total, stage: WorkStage::Installing }
    }

    /// Returns the progress of a server that is started now that its package is there.
    pub fn starting(server: &str) -> Progress {
        let what = format!("starting {}", escape(server));
        Progress { what, done: 0, total: None, stage: WorkStage::Starting }
    }
}

/// The progress of a call, as its tool reports it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallProgress {
    /// The amount that is done so far.
    pub done: f64,
    /// The whole amount, if the tool knows it.
    pub total: Option<f64>,
    /// The tool's message, cut and not yet escaped.
    pub message: Option<String>,
}

impl CallProgress {
    /// Returns a progress. A long message is cut.
    pub fn new(done: f64, total: Option<f64>, message: Option<&str>) -> CallProgress {
        CallProgress { done, total, message: message.map(|text| cut(text, MAX_MESSAGE)) }
    }
}

/// Receives the progress of one call. It must not block.
#[derive(Clone)]
pub(crate) struct CallProgressSink(Arc<dyn Fn(CallProgress) + Send + Sync>);

impl CallProgressSink {
    pub(crate) fn new(sink: impl Fn(CallProgress) + Send + Sync + 'static) -> CallProgressSink {
        CallProgressSink(Arc::new(sink))
    }

    pub(crate) fn report(&self, progress: CallProgress) {
        (self.0)(progress);
    }
}

/// All are equal: two calls do not differ by who hears of their progress.
impl PartialEq for CallProgressSink {
    fn eq(&self, _: &CallProgressSink) -> bool {
        true
    }
}

impl fmt::Debug for CallProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallProgressSink").finish_non_exhaustive()
    }
}
