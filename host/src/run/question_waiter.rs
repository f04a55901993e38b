//! The questions of one run: asked, waited for, answered. It outlives the guest, which may be put
//! away meanwhile.
//!
//! **Invariant:** what counts is what the journal has recorded: an approver's answer goes there
//! first, and so does everybody else's.

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

/// Why the wait is over.
pub(super) enum WakeReason {
    /// This was decided.
    Decided(Vec<RecordedDecision>),
    /// A sleep has ended.
    TimerDue,
    /// The slot is needed.
    Evict,
    /// Nobody can be asked here.
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
    /// The digests of what they ask: a decision about something else settles nothing.
    digests: HashMap<QuestionId, BTreeMap<AskId, String>>,
    /// Approvers at work; dropped when their question is answered otherwise.
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

    /// Asks. The question is in the journal already.
    pub(super) fn ask(&mut self, question: Question) {
        if self.open.iter().any(|open| open.id == question.id) {
            return;
        }
        let digests = question.asks.iter().map(|ask| (ask.id, ask.digest()));
        self.digests.insert(question.id, digests.collect());
        self.asking.push((question.id, self.approver.ask(question.clone())));
        self.open.push(question);
    }

    /// Takes back the questions that nothing waits for. Returns which.
    pub(super) fn withdraw(&mut self, waits: impl Fn(QuestionId) -> bool) -> Vec<QuestionId> {
        let gone = self.open.extract_if(.., |question| !waits(question.id));
        let gone: Vec<_> = gone.map(|question| question.id).collect();
        self.digests.retain(|question, _| !gone.contains(question));
        self.asking.retain(|(asked, _)| !gone.contains(asked));
        gone
    }

    /// The questions that are open.
    pub(super) fn open(&self) -> &[Question] {
        &self.open
    }

    /// Reads everything that was decided. The first time counts for all that happened before this
    /// process had the run.
    pub(super) async fn decided(&mut self) -> Result<Vec<RecordedDecision>, StoreError> {
        let decided = self.journal.decided(self.run).await?;
        self.take_note(&decided);
        Ok(decided)
    }

    fn take_note(&mut self, decided: &[RecordedDecision]) {
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

    /// Waits until the run can go on. `due` is when its next sleep ends, `seat` what can be asked
    /// to leave.
    pub(super) async fn wait(
        &mut self,
        clock: &mut RunClock,
        due: Option<Timestamp>,
        seat: Option<&WaitingRun>,
    ) -> Result<WakeReason, StoreError> {
        loop {
            let mut decided = self.journal.decided(self.run).await?;
            let known = self.read;
            if decided.len() > known {
                self.take_note(&decided);
                return Ok(WakeReason::Decided(decided.split_off(known)));
            }
            let now = clock.now();
            if let Some(question) = self.open.iter().find(|question| question.expired(now)) {
                let id = question.id;
                if self.journal.expire(id, now).await? {
                    self.events.event(&Event::Expired { run: self.run, question: id });
                    return Ok(WakeReason::Expired(id));
                }
                // It was decided in the last moment.
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
                    // The timer's word counts even where the clock stands still.
                    Some(at) => {
                        tokio::time::sleep(at.since(now).max(Duration::from_micros(1))).await
                    }
                    None => std::future::pending().await,
                }
            };
            let asked_to_leave = async {
                match seat {
                    Some(seat) => seat.asked_to_leave().await,
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
                () = asked_to_leave => return Ok(WakeReason::Evict),
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
