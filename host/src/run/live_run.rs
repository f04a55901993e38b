//! A run in memory: a guest, its open calls, its clock and its console. It runs until the program
//! ends or waits for people only.

use super::calls::{NextOutcome, OpenCalls, WaitEnd};
use super::console::RunConsole;
use super::recording::Recording;
use super::run_clock::RunClock;
use crate::model::ResolvedTool;
use crate::model::{
    CallId, CallResult, Code, Decision, Effects, Limits, Question, RecordedDecision, Timestamp,
};
use crate::run::journal_writer::JournalWriter;
use crate::run::run_error::RunError;
use crate::sandbox::{
    GuestFailure, Instance, Intent, ProgramState, StartParameters, Step, StopReason,
};
use crate::store::{
    AuditNote, CallVerdict, JournalEvent, RunState, WriteDurability, size_of_outcome,
};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::{Sleep, sleep};

/// A program yields to other runs after this long, also if it takes many short steps.
const YIELD_AFTER: Duration = Duration::from_millis(1);

/// Entries about calls that only read are written after this long: most calls are answered by then,
/// and are written together with their answer.
const WRITE_DELAY: Duration = Duration::from_millis(5);

/// The bytes of an entry in the journal beside its texts: its numbers, and the tool.
const ENTRY_SIZE: usize = 1 << 10;

/// The first step of a run in memory.
pub(super) enum InitialStep {
    /// The program is to be started.
    Start(StartParameters),
    /// A rebuilt program has taken this step. The calls of it that the journal has are restored.
    Step(Step),
}

/// The end of a program that was not stopped.
pub(super) struct ProgramEnd {
    pub(super) ending: ProgramResult,
    pub(super) unhandled: Vec<GuestFailure>,
    pub(super) dropped_lines: u32,
}

/// The result of a program, or its fault before it is placed in the source.
pub(super) enum ProgramResult {
    /// One JSON text, as the guest wrote it.
    Finished(Option<String>),
    Fault(GuestFailure),
}

/// A run in memory.
pub(super) struct LiveRun {
    pub(super) instance: Instance,
    pub(super) calls: OpenCalls,
    pub(super) clock: RunClock,
    pub(super) console: Arc<RunConsole>,
    pub(super) made: u64,
    /// Whether there are entries that must not wait for the next outcome.
    pub(super) write_soon: bool,
    /// When the other entries are written.
    pub(super) write_timer: Option<Pin<Box<Sleep>>>,
    pub(super) limits: Limits,
    pub(super) next: Option<InitialStep>,
    /// All questions of the run, answered or not.
    pub(super) questions: Vec<Question>,
    /// The decision that ends the run.
    pub(super) refused: Option<RecordedDecision>,
    /// Set when the run is to be suspended.
    pub(super) suspend: Arc<AtomicBool>,
    pub(super) recording: Option<Recording>,
    /// Whether any call failed.
    pub(super) any_call_failed: bool,
}

/// How far a run came.
pub(super) enum Advance {
    /// The program ended.
    Ended(ProgramEnd),
    /// The run waits for people only.
    WaitsForPeople,
}

impl LiveRun {
    /// Runs until the program ends or waits for people only.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) async fn advance(
        &mut self,
        journal: &mut JournalWriter,
    ) -> Result<Advance, RunError> {
        let mut yielded = Instant::now();
        let first = match self.next.take() {
            Some(InitialStep::Start(begin)) => {
                let now = self.clock.last();
                let step = with_calls(&mut self.calls, self.instance.start(begin, now)).await?;
                self.record(now, None, &step);
                Some(step)
            }
            Some(InitialStep::Step(step)) => Some(step),
            None => None,
        };
        if let Some(step) = first
            && let Some(end) = self.take(step, journal)?
        {
            return Ok(Advance::Ended(end));
        }
        loop {
            self.dispatch(journal).await?;
            let mut outcomes = match self.next(journal).await {
                WaitEnd::Outcomes(outcomes) => outcomes,
                WaitEnd::Room => continue,
                WaitEnd::People => return Ok(Advance::WaitsForPeople),
            };
            self.measure(journal);
            let mut full = Ok(());
            for NextOutcome { call, settled, at } in &mut outcomes {
                // A call that was sent is journalled, also if its answer is too large for the journal.
                let size = size_of_outcome(settled);
                if let Err(stop) = journal.check_room(ENTRY_SIZE + size) {
                    *settled = not_stored(size, self.limits.journal);
                    full = Err(stop);
                }
                self.any_call_failed |= matches!(settled, CallResult::Error { .. });
                let what = JournalEvent::Settled { call: *call, settled: settled.clone() };
                journal.add(*at, what);
            }
            // Time that the host spent on arguments and answers is the program's time too. If it
            // is used up, the entries are written with the ending.
            full.and_then(|()| self.instance.check_cpu_time())?;
            // The program sees no outcome before the journal has it.
            journal.write(RunState::Running, WriteDurability::Process).await?;
            if self.suspend.load(Ordering::Relaxed) {
                return Err(RunError::Suspended);
            }
            for NextOutcome { call, settled, at } in outcomes {
                if yielded.elapsed() > YIELD_AFTER {
                    tokio::task::yield_now().await;
                    yielded = Instant::now();
                }
                self.instance.release_arguments(self.calls.take_released());
                let given = self.recording.is_some().then(|| (call, settled.clone()));
                let step = self.instance.resume(call, settled, at);
                let step = with_calls(&mut self.calls, step).await?;
                self.record(at, given, &step);
                if let Some(end) = self.take(step, journal)? {
                    return Ok(Advance::Ended(end));
                }
                self.dispatch(journal).await?;
            }
        }
    }

    /// Takes the requests of a step. Those of the last step are never sent, and are named as
    /// abandoned. Returns the end of the program, if this is the last step.
    fn take(
        &mut self,
        step: Step,
        journal: &mut JournalWriter,
    ) -> Result<Option<ProgramEnd>, StopReason> {
        let requests = |intent: &&Intent| matches!(intent, Intent::Request { .. });
        self.made += step.intents.iter().filter(requests).count() as u64;
        if !step.intents.is_empty() {
            self.measure(journal);
        }
        let now = self.clock.last();
        for intent in step.intents {
            match intent {
                Intent::Request { id, tool, arguments } => {
                    let text = arguments.as_deref().map_err(|size| *size);
                    journal.check_room(ENTRY_SIZE + tool.len() + text.map_or(0, str::len))?;
                    let verdict = self.calls.request(id, &tool, text, now, self.limits.arguments);
                    // A timer, a question or a refusal has no later entry that says the same.
                    self.write_soon |= verdict != CallVerdict::Go;
                    journal
                        .add(now, JournalEvent::Requested { call: id, tool, arguments, verdict });
                }
                Intent::Cancel(id) => {
                    if let Some(sent) = self.calls.cancel(id) {
                        self.write_soon = true;
                        journal.add(now, JournalEvent::Cancelled { call: id, sent });
                    }
                }
            }
        }
        let ending = match step.state {
            ProgramState::Waiting => return Ok(None),
            ProgramState::Finished(json) => ProgramResult::Finished(json),
            ProgramState::Failed(fault) => ProgramResult::Fault(fault),
        };
        Ok(Some(ProgramEnd {
            ending,
            unhandled: step.unhandled,
            dropped_lines: step.dropped_lines,
        }))
    }

    /// Journals the calls that are sent next, and sends them.
    async fn dispatch(&mut self, journal: &mut JournalWriter) -> Result<(), RunError> {
        self.write_audit_events(journal);
        let sendable = self.calls.take_sendable();
        journal.check_room(sendable.len() * ENTRY_SIZE)?;
        for call in &sendable {
            let ResolvedTool { tool, effects, origin, .. } = call.found.resolved.clone();
            let approved = call.approval.as_ref().map(|approval| approval.digest().to_owned());
            let (call, installed_at) = (call.call, call.installed_at);
            let what =
                JournalEvent::Executing { call, tool, origin, effects, approved, installed_at };
            journal.add(self.clock.last(), what);
        }
        let effects = sendable.iter().any(|call| call.found.effects != Effects::ReadOnly);
        let write_soon = std::mem::take(&mut self.write_soon);
        if effects {
            journal.write(RunState::Running, WriteDurability::Disk).await?;
        } else if write_soon && !journal.is_empty() {
            // A call that only reads is sent before the journal has it.
            drop(journal.write(RunState::Running, WriteDurability::Process));
        }
        self.calls.send(sendable);
        Ok(())
    }

    /// Waits for the next outcomes. Entries are written soon, because somebody may look at the run.
    async fn next(&mut self, journal: &mut JournalWriter) -> WaitEnd {
        let mut next = pin!(self.calls.next(&mut self.clock));
        if !journal.is_empty() {
            // One timer serves many calls: setting a timer wakes the runtime, which costs more than
            // one look too many.
            let timer = self.write_timer.get_or_insert_with(|| Box::pin(sleep(WRITE_DELAY)));
            if timer.is_elapsed() {
                timer.as_mut().reset(tokio::time::Instant::now() + WRITE_DELAY);
            }
            tokio::select! {
                biased;
                end = &mut next => return end,
                // If this write fails, so does the next one.
                () = timer => drop(journal.write(RunState::Running, WriteDurability::Process)),
            }
        }
        next.await
    }

    /// Writes events to the audit trail.
    pub(super) fn write_audit_events(&mut self, journal: &mut JournalWriter) {
        let at = self.clock.last();
        for event in self.calls.take_audit_events() {
            journal.audit(AuditNote::new(at, Some(journal.run()), event));
        }
    }

    /// Reads the meters of the run for the entries that follow.
    pub(super) fn measure(&self, journal: &mut JournalWriter) {
        journal.measure(self.instance.cpu_time(), self.console.written(), self.made);
    }

    fn record(&mut self, now: Timestamp, settled: Option<(CallId, CallResult)>, step: &Step) {
        if let Some(recording) = &mut self.recording {
            recording.push(now, settled, step);
        }
    }

    /// Carries out decisions.
    pub(super) fn decide(&mut self, decided: &[RecordedDecision]) {
        for one in decided {
            // Most decisions are about the latest questions.
            let asked = self.questions.iter().rev().find(|asked| asked.id == one.question);
            let Some(ask) = asked.and_then(|asked| asked.ask(one.ask)) else { continue };
            // A declined ask without a call ends the run.
            let refuses = ask.call.is_none() && one.decision == Decision::Decline;
            if one.decision.ends_run() || refuses {
                self.refused = Some(one.clone());
                return;
            }
            self.calls.decide(ask, one);
        }
    }

    /// Returns the questions that calls wait for.
    pub(super) fn open_questions(&self) -> Vec<Question> {
        let open = self.questions.iter().filter(|question| self.calls.waits_for(question.id));
        open.cloned().collect()
    }
}

/// Returns what the journal has of an outcome that is too large for it. The program never sees it.
fn not_stored(size: usize, limit: usize) -> CallResult {
    CallResult::Error {
        code: Code::JournalSize.as_str().into(),
        message: format!(
            "the answer has {size} bytes and was not kept: the journal of the run may have {limit} bytes"
        ),
        data: None,
    }
}

/// Runs a step. Each time the guest yields, calls that were sent make progress too.
async fn with_calls(
    calls: &mut OpenCalls,
    step: impl Future<Output = Result<Step, StopReason>>,
) -> Result<Step, StopReason> {
    let mut step = pin!(step);
    poll_fn(|context| {
        let poll = step.as_mut().poll(context);
        if poll.is_pending() {
            calls.poll(context);
        }
        poll
    })
    .await
}
