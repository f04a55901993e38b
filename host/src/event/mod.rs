//! The events of a run, reported while it runs. Events flow one way, from a run to its listeners:
//! a listener cannot answer.

#[expect(clippy::module_inception, reason = "the type that this room is named for")]
mod event;
mod sink;

pub use crate::model::{CallProgress, ConsoleLevel, ConsoleLine, Progress, WorkStage};
pub use event::Event;
pub use sink::EventSink;
