//! A journal with something in between: what is written or read passes a function first.

use pml::{
    Answer, Journal, QuestionId, RunId, Timestamp,
    approval::RecordedDecision,
    journal::{
        AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalBatch, JournalFuture, Lease,
        PruneRule, RunFilter, RunHeader, RunSummary, StoredQuestion, StoredRun,
    },
};
use std::sync::Arc;
use tokio::sync::Notify;

type OnAppend = dyn Fn(&JournalBatch, JournalFuture<()>) -> JournalFuture<()> + Send + Sync;
type OnLoad = dyn Fn(&mut StoredRun) + Send + Sync;
type OnDecided = dyn Fn(&mut Vec<RecordedDecision>) + Send + Sync;

/// A journal with something in between.
pub struct HookedJournal {
    inner: Arc<dyn Journal>,
    on_append: Box<OnAppend>,
    on_load: Arc<OnLoad>,
    on_decided: Arc<OnDecided>,
}

impl HookedJournal {
    /// Returns a journal that does what `inner` does.
    pub fn new(inner: Arc<dyn Journal>) -> HookedJournal {
        let on_append = Box::new(|_: &JournalBatch, written| written);
        HookedJournal { inner, on_append, on_load: Arc::new(|_| {}), on_decided: Arc::new(|_| {}) }
    }

    /// Has `hook` see every batch, with what its writer waits for.
    #[must_use]
    pub fn on_append(
        mut self,
        hook: impl Fn(&JournalBatch, JournalFuture<()>) -> JournalFuture<()> + Send + Sync + 'static,
    ) -> HookedJournal {
        self.on_append = Box::new(hook);
        self
    }

    /// Has `hook` change every run that is read.
    #[must_use]
    pub fn on_load(
        mut self,
        hook: impl Fn(&mut StoredRun) + Send + Sync + 'static,
    ) -> HookedJournal {
        self.on_load = Arc::new(hook);
        self
    }

    /// Has `hook` change all decisions that are read.
    #[must_use]
    pub fn on_decided(
        mut self,
        hook: impl Fn(&mut Vec<RecordedDecision>) + Send + Sync + 'static,
    ) -> HookedJournal {
        self.on_decided = Arc::new(hook);
        self
    }
}

impl Journal for HookedJournal {
    fn create(&self, header: RunHeader) -> JournalFuture<Lease> {
        self.inner.create(header)
    }

    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()> {
        let seen = batch.clone();
        (self.on_append)(&seen, self.inner.append(lease, batch))
    }

    fn claim(&self, run: RunId) -> JournalFuture<Lease> {
        self.inner.claim(run)
    }

    fn load(&self, run: RunId) -> JournalFuture<StoredRun> {
        let (loaded, hook) = (self.inner.load(run), self.on_load.clone());
        Box::pin(async move {
            let mut stored = loaded.await?;
            hook(&mut stored);
            Ok(stored)
        })
    }

    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome> {
        self.inner.answer(question, answer, now)
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool> {
        self.inner.expire(question, now)
    }

    fn decisions(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>> {
        let (decided, hook) = (self.inner.decisions(run), self.on_decided.clone());
        Box::pin(async move {
            let mut decided = decided.await?;
            hook(&mut decided);
            Ok(decided)
        })
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        self.inner.watch(run)
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>> {
        self.inner.question(id, now)
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>> {
        self.inner.questions(run, now)
    }

    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>> {
        self.inner.runs(filter, now)
    }

    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64> {
        self.inner.prune(rule, now)
    }

    fn audit(&self, note: AuditNote) -> JournalFuture<()> {
        self.inner.audit(note)
    }

    fn audit_trail(&self, filter: AuditFilter) -> JournalFuture<AuditTrail> {
        self.inner.audit_trail(filter)
    }
}
