//! A journal that ends at a chosen write, as if the power of its process had been cut there.

use pml::{
    Answer, Journal, QuestionId, RunId, Timestamp,
    approval::RecordedDecision,
    journal::{
        AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalBatch, JournalFuture, Lease,
        PruneRule, RunFilter, RunHeader, RunSummary, StoreError, StoredQuestion, StoredRun,
    },
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Whether the write at which a journal is cut still happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutPoint {
    /// It does not.
    Before,
    /// It does, and nobody hears of it.
    After,
}

/// A journal that ends at a chosen write. From then on nothing is written, and nobody gets an
/// answer, until it is armed anew.
pub struct CutJournal {
    inner: Arc<dyn Journal>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    cut: Mutex<Option<(usize, CutPoint)>>,
    writes: AtomicUsize,
    dead: AtomicBool,
    death: Notify,
}

impl CutJournal {
    /// Returns a journal over `inner` that is not cut.
    pub fn new(inner: Arc<dyn Journal>) -> CutJournal {
        CutJournal { inner, shared: Arc::default() }
    }

    /// Chooses the write to end at, counting from 0, and begins to count.
    pub fn arm(&self, cut: Option<(usize, CutPoint)>) {
        *self.shared.cut.lock().expect("no panic") = cut;
        self.shared.writes.store(0, Ordering::SeqCst);
        self.shared.dead.store(false, Ordering::SeqCst);
    }

    /// How many writes there were since.
    pub fn writes(&self) -> usize {
        self.shared.writes.load(Ordering::SeqCst)
    }

    /// Waits for the cut.
    pub async fn death(&self) {
        self.shared.death.notified().await;
    }

    fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce() -> JournalFuture<T>,
    ) -> JournalFuture<T> {
        if self.shared.dead.load(Ordering::SeqCst) {
            return never();
        }
        let number = self.shared.writes.fetch_add(1, Ordering::SeqCst);
        let cut = *self.shared.cut.lock().expect("no panic");
        let Some((_, when)) = cut.filter(|(at, _)| *at == number) else { return write() };
        self.shared.dead.store(true, Ordering::SeqCst);
        let shared = self.shared.clone();
        let written = (when == CutPoint::After).then(write);
        // The caller may not wait for it.
        tokio::spawn(async move {
            if let Some(written) = written {
                drop(written.await);
            }
            shared.death.notify_one();
        });
        never()
    }

    fn read<T: Send + 'static>(&self, read: impl FnOnce() -> JournalFuture<T>) -> JournalFuture<T> {
        match self.shared.dead.load(Ordering::SeqCst) {
            true => never(),
            false => read(),
        }
    }
}

fn never<T: Send + 'static>() -> JournalFuture<T> {
    Box::pin(std::future::pending::<Result<T, StoreError>>())
}

impl Journal for CutJournal {
    fn create(&self, header: RunHeader) -> JournalFuture<Lease> {
        self.write(|| self.inner.create(header))
    }

    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()> {
        self.write(|| self.inner.append(lease, batch))
    }

    fn claim(&self, run: RunId) -> JournalFuture<Lease> {
        self.read(|| self.inner.claim(run))
    }

    fn load(&self, run: RunId) -> JournalFuture<StoredRun> {
        self.read(|| self.inner.load(run))
    }

    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome> {
        self.write(|| self.inner.answer(question, answer, now))
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool> {
        self.write(|| self.inner.expire(question, now))
    }

    fn decisions(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>> {
        self.read(|| self.inner.decisions(run))
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        self.inner.watch(run)
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>> {
        self.read(|| self.inner.question(id, now))
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>> {
        self.read(|| self.inner.questions(run, now))
    }

    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>> {
        self.read(|| self.inner.runs(filter, now))
    }

    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64> {
        self.write(|| self.inner.prune(rule, now))
    }

    fn audit(&self, note: AuditNote) -> JournalFuture<()> {
        self.write(|| self.inner.audit(note))
    }

    fn audit_trail(&self, filter: AuditFilter) -> JournalFuture<AuditTrail> {
        self.read(|| self.inner.audit_trail(filter))
    }
}
