//! A journal in memory: runs can wait, be evicted and be rebuilt, and are lost with the process.

use super::audit::{body, link};
use super::questions::{self, BatchEffect, QuestionUpdate, WithdrawalReason, batch_effects};
use super::summary::RunObservation;
use super::{
    AnswerOutcome, AuditEntry, AuditFilter, AuditNote, AuditTrail, Journal, JournalBatch,
    JournalEntry, JournalFuture, Lease, Meter, PruneRule, RunFilter, RunHeader, RunState,
    RunSummary, StoreError, StoredQuestion, StoredRun,
};
use crate::model::{Answer, Question, QuestionId, RecordedDecision, RunId, Timestamp, canonical};
use futures_util::future::ready;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Default number of ended runs that are retained: memory is for runs in progress.
const RETAINED_RUNS: usize = 100;

/// Number of audit entries that are retained; one may be as large as a question of many asks.
const RETAINED_AUDIT_ENTRIES: usize = 1_000;

/// A journal in memory. Clones share everything.
#[derive(Clone)]
pub struct MemoryJournal {
    state: Arc<Mutex<MemoryState>>,
    retained_runs: usize,
}

#[derive(Default)]
struct MemoryState {
    runs: BTreeMap<RunId, MemoryRun>,
    /// Ended runs, oldest first.
    ended: VecDeque<RunId>,
    questions: HashMap<QuestionId, StoredQuestion>,
    watchers: HashMap<RunId, Arc<Notify>>,
    trail: VecDeque<AuditEntry>,
}

struct MemoryRun {
    header: RunHeader,
    state: RunState,
    entries: Vec<JournalEntry>,
    questions: Vec<QuestionId>,
    fence: u64,
    owned: bool,
}

impl MemoryJournal {
    /// Returns an empty journal that retains the last hundred ended runs.
    pub fn new() -> MemoryJournal {
        MemoryJournal::with_retained_runs(RETAINED_RUNS)
    }

    /// Returns an empty journal that retains this many ended runs.
    pub fn with_retained_runs(runs: usize) -> MemoryJournal {
        MemoryJournal { state: Arc::default(), retained_runs: runs }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lease(&self, run: RunId, fence: u64) -> Lease {
        let state = self.state.clone();
        Lease::new(run, fence, move || {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stored_run) =
                state.runs.get_mut(&run).filter(|stored_run| stored_run.fence == fence)
            {
                stored_run.owned = false;
            }
            state.watchers.remove(&run);
        })
    }
}

impl Default for MemoryJournal {
    fn default() -> MemoryJournal {
        MemoryJournal::new()
    }
}

impl MemoryState {
    fn run(&mut self, run: RunId) -> Result<&mut MemoryRun, StoreError> {
        self.runs.get_mut(&run).ok_or(StoreError::UnknownRun(run))
    }

    fn append(&mut self, run: RunId, fence: u64, batch: JournalBatch) -> Result<(), StoreError> {
        let stored_run = self.run(run)?;
        if stored_run.fence != fence {
            return Err(StoreError::Fenced(run));
        }
        if stored_run.state.has_ended() {
            return Err(StoreError::Ended { run, state: stored_run.state });
        }
        if let Some(state) = batch.state {
            stored_run.state = state;
        }
        for effect in batch_effects(&batch) {
            match effect {
                BatchEffect::Open(question) => self.open(run, question)?,
                BatchEffect::Withdraw { question, at } => {
                    self.withdraw(run, question, WithdrawalReason::NothingWaits, at);
                }
                BatchEffect::CloseAll { at } => {
                    self.ended.push_back(run);
                    for question in self.run(run)?.questions.clone() {
                        self.withdraw(run, question, WithdrawalReason::RunEnded, at);
                    }
                }
            }
        }
        self.run(run)?.entries.extend(batch.entries);
        Ok(())
    }

    fn open(&mut self, run: RunId, question: &Question) -> Result<(), StoreError> {
        self.run(run)?.questions.push(question.id);
        self.add_note(questions::asked_note(question));
        let stored = StoredQuestion::new(question.clone(), true, Vec::new());
        self.questions.insert(question.id, stored);
        Ok(())
    }

    fn withdraw(&mut self, run: RunId, id: QuestionId, reason: WithdrawalReason, at: Timestamp) {
        let Some(stored) = self.questions.get_mut(&id) else { return };
        if std::mem::replace(&mut stored.open, false) {
            self.add_note(questions::withdrawal_note(run, id, reason, at));
        }
    }

    fn add_note(&mut self, note: AuditNote) {
        let last = self.trail.back();
        let (number, previous) = last.map_or((1, ""), |last| (last.number + 1, &last.hash));
        let body = body(number, &note);
        let hash = link(previous, &canonical(&body));
        self.trail.push_back(AuditEntry::new(number, body, hash));
        if self.trail.len() > RETAINED_AUDIT_ENTRIES {
            self.trail.pop_front();
        }
    }

    fn remove(&mut self, run: RunId) {
        let Some(stored_run) = self.runs.remove(&run) else { return };
        for question in stored_run.questions {
            self.questions.remove(&question);
        }
    }

    fn answer(&mut self, id: QuestionId, answer: &Answer, now: Timestamp) -> AnswerOutcome {
        let Some(stored) = self.questions.get(&id) else { return AnswerOutcome::Gone };
        let (update, outcome) = questions::answer(stored, answer, now);
        self.update(id, update);
        if let AnswerOutcome::Recorded { question, .. } = &outcome
            && let Some(watcher) = self.watchers.get(&question.run)
        {
            watcher.notify_one();
        }
        outcome
    }

    fn expire(&mut self, id: QuestionId, now: Timestamp) -> bool {
        let Some(stored) = self.questions.get(&id) else { return false };
        let (update, expired) = questions::expire(stored, now);
        self.update(id, update);
        expired
    }

    fn update(&mut self, id: QuestionId, update: QuestionUpdate) {
        if let Some(stored) = self.questions.get_mut(&id) {
            stored.decided.extend(update.decisions);
            stored.open &= !update.closes;
        }
        update.notes.into_iter().for_each(|note| self.add_note(note));
    }

    fn summary(&self, run: RunId, stored_run: &MemoryRun, now: Timestamp) -> RunSummary {
        let open = stored_run.questions.iter().filter_map(|id| self.questions.get(id));
        let open: Vec<_> = open.filter(|stored| stored.open).collect();
        let expired = open.iter().any(|stored| stored.question.is_expired(now));
        let state = stored_run.state.observed(RunObservation { owned: stored_run.owned, expired });
        RunSummary::new(
            run,
            stored_run.header.script.clone(),
            state,
            stored_run.header.created,
            stored_run.entries.last().map_or(stored_run.header.created, |entry| entry.at),
            stored_run.entries.last().map_or(Meter::default(), |entry| entry.meter),
            stored_run.owned.then(std::process::id),
            stored_run.header.resumed_from,
            open.len() as u64,
        )
    }
}

/// Returns a future that is ready at once.
fn ready_future<T: Send + 'static>(result: Result<T, StoreError>) -> JournalFuture<T> {
    Box::pin(ready(result))
}

impl Journal for MemoryJournal {
    fn create(&self, header: RunHeader) -> JournalFuture<Lease> {
        let run = header.run;
        let stored_run = MemoryRun {
            header,
            state: RunState::Running,
            entries: Vec::new(),
            questions: Vec::new(),
            fence: 1,
            owned: true,
        };
        self.lock().runs.insert(run, stored_run);
        ready_future(Ok(self.lease(run, 1)))
    }

    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()> {
        let mut state = self.lock();
        let done = state.append(lease.run, lease.fence, batch);
        while state.ended.len() > self.retained_runs {
            let oldest = state.ended.pop_front();
            oldest.into_iter().for_each(|run| state.remove(run));
        }
        ready_future(done)
    }

    fn claim(&self, run: RunId) -> JournalFuture<Lease> {
        let mut state = self.lock();
        let claimed = state.run(run).and_then(|stored_run| {
            if stored_run.owned {
                return Err(StoreError::Owned {
                    run,
                    owner: "another part of this process".into(),
                });
            }
            if stored_run.state.has_ended() {
                return Err(StoreError::Ended { run, state: stored_run.state });
            }
            stored_run.owned = true;
            stored_run.fence += 1;
            Ok(stored_run.fence)
        });
        ready_future(claimed.map(|fence| self.lease(run, fence)))
    }

    fn load(&self, run: RunId) -> JournalFuture<StoredRun> {
        ready_future(self.lock().run(run).map(|stored_run| {
            StoredRun::new(stored_run.header.clone(), stored_run.state, stored_run.entries.clone())
        }))
    }

    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome> {
        ready_future(Ok(self.lock().answer(question, &answer, now)))
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool> {
        ready_future(Ok(self.lock().expire(question, now)))
    }

    fn decisions(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>> {
        let mut state = self.lock();
        let questions = state.run(run).map(|stored_run| stored_run.questions.clone());
        ready_future(questions.map(|questions| {
            let stored = questions.iter().filter_map(|id| state.questions.get(id));
            stored.flat_map(|stored| stored.decided.iter().cloned()).collect()
        }))
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        self.lock().watchers.entry(run).or_default().clone()
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>> {
        let found = self.lock().questions.get(&id).cloned();
        ready_future(Ok(found.map(|stored| questions::viewed_at(stored, now))))
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>> {
        let state = self.lock();
        let open = state.questions.values().filter(|stored| {
            questions::is_open(stored, now) && run.is_none_or(|run| run == stored.question.run)
        });
        let mut open: Vec<_> = open.cloned().collect();
        questions::oldest_first(&mut open);
        ready_future(Ok(open))
    }

    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>> {
        let state = self.lock();
        let newest =
            state.runs.iter().rev().map(|(run, stored_run)| state.summary(*run, stored_run, now));
        let wanted =
            newest.filter(|summary| filter.selects(summary.run, &summary.script, summary.state));
        let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
        ready_future(Ok(wanted.take(limit).collect()))
    }

    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64> {
        let mut state = self.lock();
        let mut covered: Vec<_> = state
            .runs
            .iter()
            .filter(|(_, stored_run)| !stored_run.owned)
            .map(|(run, stored_run)| state.summary(*run, stored_run, now))
            .filter(|summary| rule.covers(summary.state))
            .collect();
        covered.reverse();
        let removed = covered.into_iter().enumerate().filter(|(index, summary)| {
            rule.is_surplus(*index as u64) || rule.is_old(now.since(summary.updated))
        });
        let removed: Vec<_> = removed.map(|(_, summary)| summary.run).collect();
        removed.iter().for_each(|run| state.remove(*run));
        state.ended.retain(|run| !removed.contains(run));
        ready_future(Ok(removed.len() as u64))
    }

    fn audit(&self, note: AuditNote) -> JournalFuture<()> {
        self.lock().add_note(note);
        ready_future(Ok(()))
    }

    fn audit_trail(&self, filter: AuditFilter) -> JournalFuture<AuditTrail> {
        let state = self.lock();
        let wanted = state.trail.iter().rev().filter(|entry| filter.selects(entry));
        let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
        let mut entries: Vec<_> = wanted.take(limit).cloned().collect();
        entries.reverse();
        let last = state.trail.back();
        let (count, hash) =
            last.map_or_else(Default::default, |last| (last.number, last.hash.clone()));
        ready_future(Ok(AuditTrail { entries, count, hash, ..AuditTrail::default() }))
    }
}
