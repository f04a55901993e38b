//! The thread that ends time slices. It ticks while guests run, and sleeps if none has run for a
//! while.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{io, sync::Arc, thread, time::Duration};
use wasmtime::{Engine, EngineWeak};

/// Length of a time slice. A guest yields after each slice, so that several busy programs on a core
/// all run again within a few milliseconds. A slice costs a busy program about a microsecond.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

/// Slices without a running guest before the thread sleeps. Waking it costs more than a few idle
/// ticks.
const IDLE_SLICES: u32 = 100;

/// Counts running guests and wakes the thread for them.
pub(crate) struct Ticker {
    shared: Arc<TickerState>,
    thread: thread::Thread,
}

struct TickerState {
    running: AtomicUsize,
    asleep: AtomicBool,
    closed: AtomicBool,
}

/// Marks a guest as running until it is dropped.
pub(crate) struct RunningGuest<'a>(&'a TickerState);

impl Ticker {
    /// Starts the thread for `engine`.
    pub(crate) fn start(engine: &Engine) -> io::Result<Ticker> {
        let shared = Arc::new(TickerState {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        });
        let (weak, state) = (engine.weak(), shared.clone());
        let handle =
            thread::Builder::new().name("pml-ticker".into()).spawn(move || tick(&weak, &state))?;
        Ok(Ticker { shared, thread: handle.thread().clone() })
    }

    /// Counts a guest as running until the returned value is dropped.
    pub(crate) fn mark_running(&self) -> RunningGuest<'_> {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
        RunningGuest(&self.shared)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Drop for RunningGuest<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn tick(engine: &EngineWeak, shared: &TickerState) {
    let mut idle = 0;
    while !shared.closed.load(Ordering::SeqCst) {
        if idle >= IDLE_SLICES {
            shared.asleep.store(true, Ordering::SeqCst);
            // This must be checked after `asleep` is set: a guest that starts now is either counted
            // here or finds `asleep` set.
            if shared.running.load(Ordering::SeqCst) == 0 && !shared.closed.load(Ordering::SeqCst) {
                thread::park();
            }
            shared.asleep.store(false, Ordering::SeqCst);
            idle = 0;
            continue;
        }
        thread::sleep(SLICE);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
        idle = if shared.running.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
    }
}
