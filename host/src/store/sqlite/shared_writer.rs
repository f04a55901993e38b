//! The one place where the journal is written, and who sits there.
//!
//! Waking a thread takes several times as long as a small commit does. So whoever waits for a small
//! write does it, if the place is free, together with everything else that is queued. The writer's
//! thread does what is large or may wait: for the disk, for another process, for nobody in
//! particular.
//!
//! **Invariant:** what is queued is taken by the thread within a millisecond or so, should nobody
//! else take it.

use super::writer::StoreWriter;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::Thread;
use std::time::Duration;

/// How long something may lie in the queue, while the thread looks by itself, before it does.
const LOOK: Duration = Duration::from_millis(1);

/// How often the thread looks in vain before it sleeps until it is called.
const LOOKS: u32 = 20;

/// Where the journal is written.
pub(super) struct SharedWriter {
    /// Nobody, once the journal is closed.
    seat: Mutex<Option<StoreWriter>>,
    /// Whether the thread looks at the queue by itself.
    attentive: AtomicBool,
    thread: OnceLock<Thread>,
}

impl SharedWriter {
    /// Returns a desk with this writer.
    pub(super) fn new(writer: StoreWriter) -> SharedWriter {
        let attentive = AtomicBool::new(false);
        SharedWriter { seat: Mutex::new(Some(writer)), attentive, thread: OnceLock::new() }
    }

    /// Says which thread it is that works here.
    pub(super) fn set_thread(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// Wakes the thread.
    pub(super) fn call(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Wakes the thread, unless it looks at the queue by itself. Comes after what was queued.
    pub(super) fn mention(&self) {
        // Pairs with the fence in `work`: either the thread sees what was queued, or it is seen to
        // sleep.
        fence(Ordering::SeqCst);
        if !self.attentive.load(Ordering::Relaxed) {
            self.call();
        }
    }

    /// Writes what is queued, if it is small and the place is free; otherwise leaves it to the
    /// thread.
    pub(super) fn help(&self) {
        let done = match self.seat.try_lock() {
            Ok(mut seat) => seat.as_mut().is_none_or(StoreWriter::write_what_is_small),
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(seat)) => {
                // A panic left half a transaction behind: the journal is closed, and everybody who
                // waits is told.
                drop(seat.into_inner().take());
                true
            }
        };
        if !done {
            self.call();
        }
    }

    fn seat(&self) -> MutexGuard<'_, Option<StoreWriter>> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's work, until the journal is closed.
    pub(super) fn work(&self) {
        let _empty = WriterCloseGuard(self);
        let (mut looks, mut before) = (0, 0);
        loop {
            // A panic left half a transaction behind: the journal is closed.
            let Ok(mut seat) = self.seat.lock() else { return };
            let Some(writer) = seat.as_mut() else { return };
            writer.write();
            if writer.is_closing() {
                return;
            }
            let commits = writer.commits();
            drop(seat);
            looks = if commits == before { looks + 1 } else { 0 };
            before = commits;
            if looks < LOOKS {
                self.attentive.store(true, Ordering::Relaxed);
                std::thread::park_timeout(LOOK);
            } else if self.attentive.swap(false, Ordering::Relaxed) {
                // What was queued while the thread still counted as attentive is found by one more
                // look.
                fence(Ordering::SeqCst);
            } else {
                std::thread::park();
                looks = 0;
            }
        }
    }
}

/// Closes the journal when its thread ends, also by a panic: whoever waits is told.
struct WriterCloseGuard<'a>(&'a SharedWriter);

impl Drop for WriterCloseGuard<'_> {
    fn drop(&mut self) {
        drop(self.0.seat().take());
    }
}
