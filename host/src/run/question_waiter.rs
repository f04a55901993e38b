//! Waits for the questions of one run. It outlives the guest, which may be evicted meanwhile.
//!
//! **Invariant:** only decisions in the journal count. An approver's answer goes there first, like
//! any other.

use super::run_clock::RunClock;
use crate::approval::Approver;
use crate::event::{Event, EventSink};
use crate::model::{Answer, Ask, AskId, Question, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::run::waiting_runs::WaitingRun;
use crate::store::{Journal, StoreError};
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;

/// The reason why a wait ended.
pub(super) enum WakeReason {
    /// There are new decisions.
    Decided(Vec<RecordedDecision>),
    /// A sleep has ended.
    TimerDue,
    /// Another run needs the slot.
    Evict,
    /// The run has no approver.
    NoApprover,
    /// This question can no longer be answered.
    Expired(QuestionId),
}

/// The questions of a run.
pub(super) struct QuestionWaiter {
    run: RunId,
    journal: Arc<dyn Journal>,
    approver: Arc<dyn Approver>,
    events: Arc<dyn EventSink>,
    watch: Arc<Notify>,
    open: Vec<Question>,
    /// The digests of their asks: a decision about something else does not settle an ask.
    digests: HashMap<QuestionId, BTreeMap<AskId, String>>,
    /// Approvers at work. One is dropped when its question is answered elsewhere.
    asking: Vec<(QuestionId, BoxFuture<'static, Option<Answer>>)>,
    /// How many decisions were read.
    read: usize,
}

impl QuestionWaiter {
    pub(super) fn new(
        run: RunId,
        journal: Arc<dyn Journal>,
        approver: Arc<dyn Approver>,
        events: Arc<dyn EventSink>,
    ) -> QuestionWaiter {
        let watch = journal.watch(run);
        let (open, asking, digests) = (Vec::new(), Vec::new(), HashMap::new());
        QuestionWaiter { run, journal, approver, events, watch, open, digests, asking, read: 0 }
    }

    /// Hands a question to the approver. The journal has the question already.
    pub(super) fn ask(&mut self, question: Question) {
        if self.open.iter().any(|open| open.id == question.id) {
            return;
        }
        let digests = question.asks.iter().map(|ask| (ask.id, ask.digest()));
        self.digests.insert(question.id, digests.collect());
        self.asking.push((question.id, self.approver.ask(question.clone())));
        self.open.push(question);
    }

    /// Withdraws the questions that nothing waits for, and returns them.
    pub(super) fn withdraw(&mut self, waits: impl Fn(QuestionId) -> bool) -> Vec<QuestionId> {
        let withdrawn = self.open.extract_if(.., |question| !waits(question.id));
        let withdrawn: Vec<_> = withdrawn.map(|question| question.id).collect();
        self.digests.retain(|question, _| !withdrawn.contains(question));
        self.asking.retain(|(asked, _)| !withdrawn.contains(asked));
        withdrawn
    }

    /// Returns the open questions.
    pub(super) fn open(&self) -> &[Question] {
        &self.open
    }

    /// Reads all decisions. The first read covers the time before this process had the run.
    pub(super) async fn decided(&mut self) -> Result<Vec<RecordedDecision>, StoreError> {
        let decisions = self.journal.decisions(self.run).await?;
        self.note_decisions(&decisions);
        Ok(decisions)
    }

    fn note_decisions(&mut self, decided: &[RecordedDecision]) {
        self.read = decided.len();
        let digests = &self.digests;
        self.open.retain(|question| {
            let shown = |ask: &Ask| digests.get(&question.id)?.get(&ask.id);
            let settled = |ask: &Ask| {
                decided.iter().any(|one| {
                    let of_it = one.question == question.id && one.ask == ask.id;
                    of_it && one.digest.as_ref() == shown(ask)
                })
            };
            !question.asks.iter().all(settled)
        });
        let open = &self.open;
        self.digests.retain(|asked, _| open.iter().any(|question| question.id == *asked));
        self.asking.retain(|(asked, _)| open.iter().any(|question| question.id == *asked));
    }

    /// Waits until the run can continue. `due` is the end of its next sleep; `waiting` is its slot
    /// if it is in memory.
    pub(super) async fn wait(
        &mut self,
        clock: &mut RunClock,
        due: Option<Timestamp>,
        waiting: Option<&WaitingRun>,
    ) -> Result<WakeReason, StoreError> {
        loop {
            let mut decided = self.journal.decisions(self.run).await?;
            let known = self.read;
            if decided.len() > known {
                self.note_decisions(&decided);
                return Ok(WakeReason::Decided(decided.split_off(known)));
            }
            let now = clock.now();
            if let Some(question) = self.open.iter().find(|question| question.is_expired(now)) {
                let id = question.id;
                if self.journal.expire(id, now).await? {
                    self.events.event(&Event::Expired { run: self.run, question: id });
                    return Ok(WakeReason::Expired(id));
                }
                // It was decided at the last moment.
                continue;
            }
            if due.is_some_and(|due| due <= now) {
                return Ok(WakeReason::TimerDue);
            }
            if self.asking.is_empty() {
                return Ok(WakeReason::NoApprover);
            }
            let end = self.open.iter().filter_map(|question| question.expires_at).min();
            let until = |at: Option<Timestamp>| async move {
                match at {
                    // The timer counts even where the clock stands still.
                    Some(at) => {
                        tokio::time::sleep(at.since(now).max(Duration::from_micros(1))).await
                    }
                    None => std::future::pending().await,
                }
            };
            let evicted = async {
                match waiting {
                    Some(waiting) => waiting.evicted().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.watch.notified() => {}
                (question, answer) = answered(&mut self.asking) => {
                    if let Some(answer) = answer {
                        let _ = self.journal.answer(question, answer, clock.now()).await?;
                    }
                }
                () = until(due) => {
                    clock.reach(due.unwrap_or_default());
                }
                () = until(end) => {
                    clock.reach(end.unwrap_or_default());
                }
                () = evicted => return Ok(WakeReason::Evict),
            }
        }
    }
}

/// Waits for the first approver that is done, and takes it off the list.
async fn answered(
    asking: &mut Vec<(QuestionId, BoxFuture<'static, Option<Answer>>)>,
) -> (QuestionId, Option<Answer>) {
    poll_fn(|context| {
        for index in 0..asking.len() {
            let (question, approver) = &mut asking[index];
            if let Poll::Ready(answer) = approver.as_mut().poll(context) {
                let question = *question;
                drop(asking.swap_remove(index));
                return Poll::Ready((question, answer));
            }
        }
        Poll::Pending
    })
    .await
}
