//! A journal with something in between: what is written or read passes a function first.

use pml::{
    Answer, Answered, Asked, AuditFilter, Batch, Decided, Filter, Header, Journal, Lease, Note,
    Pending, Prune, QuestionId, RunId, Stored, Summary, Timestamp, Trail,
};
use std::sync::Arc;
use tokio::sync::Notify;

type OnAppend = dyn Fn(&Batch, Pending<()>) -> Pending<()> + Send + Sync;
type OnLoad = dyn Fn(&mut Stored) + Send + Sync;
type OnDecided = dyn Fn(&mut Vec<Decided>) + Send + Sync;

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
        let on_append = Box::new(|_: &Batch, written| written);
        HookedJournal { inner, on_append, on_load: Arc::new(|_| {}), on_decided: Arc::new(|_| {}) }
    }

    /// Has `hook` see every batch, with what its writer waits for.
    #[must_use]
    pub fn on_append(
        mut self,
        hook: impl Fn(&Batch, Pending<()>) -> Pending<()> + Send + Sync + 'static,
    ) -> HookedJournal {
        self.on_append = Box::new(hook);
        self
    }

    /// Has `hook` change every run that is read.
    #[must_use]
    pub fn on_load(mut self, hook: impl Fn(&mut Stored) + Send + Sync + 'static) -> HookedJournal {
        self.on_load = Arc::new(hook);
        self
    }

    /// Has `hook` change all decisions that are read.
    #[must_use]
    pub fn on_decided(
        mut self,
        hook: impl Fn(&mut Vec<Decided>) + Send + Sync + 'static,
    ) -> HookedJournal {
        self.on_decided = Arc::new(hook);
        self
    }
}

impl Journal for HookedJournal {
    fn create(&self, header: Header) -> Pending<Lease> {
        self.inner.create(header)
    }

    fn append(&self, lease: &Lease, batch: Batch) -> Pending<()> {
        let seen = batch.clone();
        (self.on_append)(&seen, self.inner.append(lease, batch))
    }

    fn claim(&self, run: RunId) -> Pending<Lease> {
        self.inner.claim(run)
    }

    fn load(&self, run: RunId) -> Pending<Stored> {
        let (loaded, hook) = (self.inner.load(run), self.on_load.clone());
        Box::pin(async move {
            let mut stored = loaded.await?;
            hook(&mut stored);
            Ok(stored)
        })
    }

    fn answer(&self, question: QuestionId, answer: Answer, now: Timestamp) -> Pending<Answered> {
        self.inner.answer(question, answer, now)
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> Pending<bool> {
        self.inner.expire(question, now)
    }

    fn decided(&self, run: RunId) -> Pending<Vec<Decided>> {
        let (decided, hook) = (self.inner.decided(run), self.on_decided.clone());
        Box::pin(async move {
            let mut decided = decided.await?;
            hook(&mut decided);
            Ok(decided)
        })
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        self.inner.watch(run)
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> Pending<Option<Asked>> {
        self.inner.question(id, now)
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> Pending<Vec<Asked>> {
        self.inner.questions(run, now)
    }

    fn runs(&self, filter: Filter, now: Timestamp) -> Pending<Vec<Summary>> {
        self.inner.runs(filter, now)
    }

    fn prune(&self, rule: Prune, now: Timestamp) -> Pending<u64> {
        self.inner.prune(rule, now)
    }

    fn audit(&self, note: Note) -> Pending<()> {
        self.inner.audit(note)
    }

    fn audited(&self, filter: AuditFilter) -> Pending<Trail> {
        self.inner.audited(filter)
    }
}
