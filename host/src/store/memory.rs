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
const KEEP: usize = 100;

/// Number of audit entries that are retained; one may be as large as a question of many asks.
const TRAIL: usize = 1_000;

/// A journal in memory. Clones share everything.
#[derive(Clone)]
pub struct MemoryJournal {
    held: Arc<Mutex<MemoryState>>,
    keep: usize,
}

#[derive(Default)]
struct MemoryState {
    runs: BTreeMap<RunId, MemoryRun>,
    /// Ended runs, oldest first.
    over: VecDeque<RunId>,
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
        MemoryJournal::keeping(KEEP)
    }

    /// Returns an empty journal that retains this many ended runs.
    pub fn keeping(runs: usize) -> MemoryJournal {
        MemoryJournal { held: Arc::default(), keep: runs }
    }

    fn held(&self) -> MutexGuard<'_, MemoryState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lease(&self, run: RunId, fence: u64) -> Lease {
        let held = self.held.clone();
        Lease::new(run, fence, move || {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(kept) = held.runs.get_mut(&run).filter(|kept| kept.fence == fence) {
                kept.owned = false;
            }
            held.watchers.remove(&run);
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
        let kept = self.run(run)?;
        if kept.fence != fence {
            return Err(StoreError::Fenced(run));
        }
        if kept.state.ended() {
            return Err(StoreError::Ended { run, state: kept.state });
        }
        if let Some(state) = batch.state {
            kept.state = state;
        }
        for effect in batch_effects(&batch) {
            match effect {
                BatchEffect::Open(question) => self.open(run, question)?,
                BatchEffect::Withdraw { question, at } => {
                    self.withdraw(run, question, WithdrawalReason::NothingWaits, at);
                }
                BatchEffect::CloseAll { at } => {
                    self.over.push_back(run);
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
        self.note(questions::asked_note(question));
        let asked = StoredQuestion::new(question.clone(), true, Vec::new());
        self.questions.insert(question.id, asked);
        Ok(())
    }

    fn withdraw(&mut self, run: RunId, id: QuestionId, reason: WithdrawalReason, at: Timestamp) {
        let Some(asked) = self.questions.get_mut(&id) else { return };
        if std::mem::replace(&mut asked.open, false) {
            self.note(questions::withdrawal_note(run, id, reason, at));
        }
    }

    fn note(&mut self, note: AuditNote) {
        let last = self.trail.back();
        let (number, previous) = last.map_or((1, ""), |last| (last.number + 1, &last.hash));
        let body = body(number, &note);
        let hash = link(previous, &canonical(&body));
        self.trail.push_back(AuditEntry::new(number, body, hash));
        if self.trail.len() > TRAIL {
            self.trail.pop_front();
        }
    }

    fn forget(&mut self, run: RunId) {
        let Some(kept) = self.runs.remove(&run) else { return };
        for question in kept.questions {
            self.questions.remove(&question);
        }
    }

    fn answer(&mut self, id: QuestionId, answer: &Answer, now: Timestamp) -> AnswerOutcome {
        let Some(asked) = self.questions.get(&id) else { return AnswerOutcome::Gone };
        let (update, outcome) = questions::answer(asked, answer, now);
        self.update(id, update);
        if let AnswerOutcome::Recorded { question, .. } = &outcome
            && let Some(watcher) = self.watchers.get(&question.run)
        {
            watcher.notify_one();
        }
        outcome
    }

    fn expire(&mut self, id: QuestionId, now: Timestamp) -> bool {
        let Some(asked) = self.questions.get(&id) else { return false };
        let (update, expired) = questions::expire(asked, now);
        self.update(id, update);
        expired
    }

    fn update(&mut self, id: QuestionId, update: QuestionUpdate) {
        if let Some(asked) = self.questions.get_mut(&id) {
            asked.decided.extend(update.decisions);
            asked.open &= !update.closes;
        }
        update.notes.into_iter().for_each(|note| self.note(note));
    }

    fn summary(&self, run: RunId, kept: &MemoryRun, now: Timestamp) -> RunSummary {
        let open = kept.questions.iter().filter_map(|id| self.questions.get(id));
        let open: Vec<_> = open.filter(|asked| asked.open).collect();
        let expired = open.iter().any(|asked| asked.question.expired(now));
        let state = kept.state.observed(RunObservation { owned: kept.owned, expired });
        RunSummary::new(
            run,
            kept.header.script.clone(),
            state,
            kept.header.created,
            kept.entries.last().map_or(kept.header.created, |entry| entry.at),
            kept.entries.last().map_or(Meter::default(), |entry| entry.meter),
            kept.owned.then(std::process::id),
            kept.header.resumed_from,
            open.len() as u64,
        )
    }
}

/// Returns a future that is ready at once.
fn at_once<T: Send + 'static>(result: Result<T, StoreError>) -> JournalFuture<T> {
    Box::pin(ready(result))
}

impl Journal for MemoryJournal {
    fn create(&self, header: RunHeader) -> JournalFuture<Lease> {
        let run = header.run;
        let kept = MemoryRun {
            header,
            state: RunState::Running,
            entries: Vec::new(),
            questions: Vec::new(),
            fence: 1,
            owned: true,
        };
        self.held().runs.insert(run, kept);
        at_once(Ok(self.lease(run, 1)))
    }

    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()> {
        let mut held = self.held();
        let done = held.append(lease.run, lease.fence, batch);
        while held.over.len() > self.keep {
            let oldest = held.over.pop_front();
            oldest.into_iter().for_each(|run| held.forget(run));
        }
        at_once(done)
    }

    fn claim(&self, run: RunId) -> JournalFuture<Lease> {
        let mut held = self.held();
        let claimed = held.run(run).and_then(|kept| {
            if kept.owned {
                return Err(StoreError::Owned {
                    run,
                    owner: "another part of this process".into(),
                });
            }
            if kept.state.ended() {
                return Err(StoreError::Ended { run, state: kept.state });
            }
            kept.owned = true;
            kept.fence += 1;
            Ok(kept.fence)
        });
        at_once(claimed.map(|fence| self.lease(run, fence)))
    }

    fn load(&self, run: RunId) -> JournalFuture<StoredRun> {
        at_once(
            self.held()
                .run(run)
                .map(|kept| StoredRun::new(kept.header.clone(), kept.state, kept.entries.clone())),
        )
    }

    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome> {
        at_once(Ok(self.held().answer(question, &answer, now)))
    }

    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool> {
        at_once(Ok(self.held().expire(question, now)))
    }

    fn decided(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>> {
        let mut held = self.held();
        let questions = held.run(run).map(|kept| kept.questions.clone());
        at_once(questions.map(|questions| {
            let asked = questions.iter().filter_map(|id| held.questions.get(id));
            asked.flat_map(|asked| asked.decided.iter().cloned()).collect()
        }))
    }

    fn watch(&self, run: RunId) -> Arc<Notify> {
        self.held().watchers.entry(run).or_default().clone()
    }

    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>> {
        let found = self.held().questions.get(&id).cloned();
        at_once(Ok(found.map(|asked| questions::viewed_at(asked, now))))
    }

    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>> {
        let held = self.held();
        let open = held.questions.values().filter(|asked| {
            questions::is_open(asked, now) && run.is_none_or(|run| run == asked.question.run)
        });
        let mut open: Vec<_> = open.cloned().collect();
        questions::oldest_first(&mut open);
        at_once(Ok(open))
    }

    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>> {
        let held = self.held();
        let newest = held.runs.iter().rev().map(|(run, kept)| held.summary(*run, kept, now));
        let wanted =
            newest.filter(|summary| filter.wants(summary.run, &summary.script, summary.state));
        let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
        at_once(Ok(wanted.take(limit).collect()))
    }

    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64> {
        let mut held = self.held();
        let mut over: Vec<_> = held
            .runs
            .iter()
            .filter(|(_, kept)| !kept.owned)
            .map(|(run, kept)| held.summary(*run, kept, now))
            .filter(|summary| rule.covers(summary.state))
            .collect();
        over.reverse();
        let forgotten = over.into_iter().enumerate().filter(|(index, summary)| {
            rule.is_surplus(*index as u64) || rule.is_old(now.since(summary.updated))
        });
        let forgotten: Vec<_> = forgotten.map(|(_, summary)| summary.run).collect();
        forgotten.iter().for_each(|run| held.forget(*run));
        held.over.retain(|run| !forgotten.contains(run));
        at_once(Ok(forgotten.len() as u64))
    }

    fn audit(&self, note: AuditNote) -> JournalFuture<()> {
        self.held().note(note);
        at_once(Ok(()))
    }

    fn audited(&self, filter: AuditFilter) -> JournalFuture<AuditTrail> {
        let held = self.held();
        let wanted = held.trail.iter().rev().filter(|entry| filter.wants(entry));
        let limit = filter.limit.map_or(usize::MAX, |limit| limit as usize);
        let mut entries: Vec<_> = wanted.take(limit).cloned().collect();
        entries.reverse();
        let last = held.trail.back();
        let (count, hash) =
            last.map_or_else(Default::default, |last| (last.number, last.hash.clone()));
        at_once(Ok(AuditTrail { entries, count, hash, ..AuditTrail::default() }))
    }
}
