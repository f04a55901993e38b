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
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Number of polls without work after which the thread sleeps until it is woken.
const IDLE_POLLS: u32 = 20;

/// The writer, and the means to wake its thread.
pub(super) struct SharedWriter {
    /// `None` once the journal is closed.
    writer: Mutex<Option<StoreWriter>>,
    /// True if the thread polls the queue.
    polling: AtomicBool,
    thread: OnceLock<Thread>,
}

impl SharedWriter {
    /// Returns the shared form of this writer.
    pub(super) fn new(writer: StoreWriter) -> SharedWriter {
        let polling = AtomicBool::new(false);
        SharedWriter { writer: Mutex::new(Some(writer)), polling, thread: OnceLock::new() }
    }

    /// Sets the thread that calls `run`.
    pub(super) fn set_thread(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// Wakes the thread.
    pub(super) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Wakes the thread, unless it polls. Must be called after queueing an operation.
    pub(super) fn wake_unless_polling(&self) {
        // Pairs with the fence in `run`: either the thread finds the queued operation, or it is
        // found not polling here.
        fence(Ordering::SeqCst);
        if !self.polling.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Writes the queued operations if they are small and the writer is free; otherwise wakes the
    /// thread.
    pub(super) fn write_if_free(&self) {
        let done = match self.writer.try_lock() {
            Ok(mut guard) => guard.as_mut().is_none_or(StoreWriter::write_if_small),
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(guard)) => {
                // A panic left an unfinished transaction: the journal is closed, and every waiting
                // caller gets an error.
                drop(guard.into_inner().take());
                true
            }
        };
        if !done {
            self.wake();
        }
    }

    fn lock_writer(&self) -> MutexGuard<'_, Option<StoreWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the thread's work, until the journal is closed.
    pub(super) fn run(&self) {
        let _close_guard = WriterCloseGuard(self);
        let (mut idle_polls, mut last_commits) = (0, 0);
        loop {
            // A panic left an unfinished transaction: the journal is closed.
            let Ok(mut guard) = self.writer.lock() else { return };
            let Some(writer) = guard.as_mut() else { return };
            writer.write();
            if writer.is_closing() {
                return;
            }
            let commits = writer.commits();
            drop(guard);
            idle_polls = if commits == last_commits { idle_polls + 1 } else { 0 };
            last_commits = commits;
            if idle_polls < IDLE_POLLS {
                self.polling.store(true, Ordering::Relaxed);
                std::thread::park_timeout(POLL_INTERVAL);
            } else if self.polling.swap(false, Ordering::Relaxed) {
                // An operation that was queued while the thread still counted as polling is found
                // by one more pass.
                fence(Ordering::SeqCst);
            } else {
                std::thread::park();
                idle_polls = 0;
            }
        }
    }
}

/// Closes the journal when its thread ends, even by a panic: waiting callers get an error.
struct WriterCloseGuard<'a>(&'a SharedWriter);

impl Drop for WriterCloseGuard<'_> {
    fn drop(&mut self) {
        drop(self.0.lock_writer().take());
    }
}
