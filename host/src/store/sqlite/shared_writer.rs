//! The writer of a journal, shared by its thread and the callers that wait for writes.
//!
//! Waking a thread takes several times as long as a small commit. So a caller that waits for a
//! small write commits it itself, together with everything else in the queue, if the writer is
//! free. The writer's thread does everything that is large or may have to wait: for the disk, or
//! for another process; and operations that no caller waits for.
//!
//! **Invariant:** if nobody else takes a queued operation, the thread takes it within about a
//! millisecond.

use super::writer::StoreWriter;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::Thread;
use std::time::Duration;

/// Interval at which the thread polls the queue.
const LOOK: Duration = Duration::from_millis(1);

/// Number of polls without work after which the thread sleeps until it is woken.
const LOOKS: u32 = 20;

/// The writer, and the means to wake its thread.
pub(super) struct SharedWriter {
    /// `None` once the journal is closed.
    seat: Mutex<Option<StoreWriter>>,
    /// True if the thread polls the queue.
    attentive: AtomicBool,
    thread: OnceLock<Thread>,
}

impl SharedWriter {
    /// Returns the shared form of this writer.
    pub(super) fn new(writer: StoreWriter) -> SharedWriter {
        let attentive = AtomicBool::new(false);
        SharedWriter { seat: Mutex::new(Some(writer)), attentive, thread: OnceLock::new() }
    }

    /// Sets the thread that runs `work`.
    pub(super) fn set_thread(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// Wakes the thread.
    pub(super) fn call(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Wakes the thread, unless it polls. Must be called after queueing an operation.
    pub(super) fn mention(&self) {
        // Pairs with the fence in `work`: either the thread finds the queued operation, or it is
        // found not polling here.
        fence(Ordering::SeqCst);
        if !self.attentive.load(Ordering::Relaxed) {
            self.call();
        }
    }

    /// Writes the queued operations if they are small and the writer is free; otherwise wakes the
    /// thread.
    pub(super) fn help(&self) {
        let done = match self.seat.try_lock() {
            Ok(mut seat) => seat.as_mut().is_none_or(StoreWriter::write_what_is_small),
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(seat)) => {
                // A panic left an unfinished transaction: the journal is closed, and every waiting
                // caller gets an error.
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

    /// Runs the thread's work, until the journal is closed.
    pub(super) fn work(&self) {
        let _empty = WriterCloseGuard(self);
        let (mut looks, mut before) = (0, 0);
        loop {
            // A panic left an unfinished transaction: the journal is closed.
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
                // An operation that was queued while the thread still counted as polling is found
                // by one more pass.
                fence(Ordering::SeqCst);
            } else {
                std::thread::park();
                looks = 0;
            }
        }
    }
}

/// Closes the journal when its thread ends, even by a panic: waiting callers get an error.
struct WriterCloseGuard<'a>(&'a SharedWriter);

impl Drop for WriterCloseGuard<'_> {
    fn drop(&mut self) {
        drop(self.0.seat().take());
    }
}
