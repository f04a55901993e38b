//! The listener to the events of a run.

use super::Event;

/// Listens to a run. It is called while the run works: it must be quick and must not block.
pub trait EventSink: Send + Sync {
    /// Receives one event.
    fn event(&self, event: &Event);
}

/// Ignores every event.
impl EventSink for () {
    fn event(&self, _: &Event) {}
}

impl<F: Fn(&Event) + Send + Sync> EventSink for F {
    fn event(&self, event: &Event) {
        self(event);
    }
}
