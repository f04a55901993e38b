//! A run in memory: a guest, its open calls, its clock and its console. It runs until the program
//! ends or only people can help.

use super::calls::{NextOutcome, OpenCalls};
use super::console::RunConsole;
use super::recording::Recording;
use super::run_clock::RunClock;
use crate::model::ResolvedTool;
use crate::model::{
    CallId, CallResult, Code, Decision, Effects, Limits, Question, RecordedDecision, Timestamp,
};
use crate::run::journal_writer::JournalWriter;
use crate::run::run_error::RunError;
use crate::sandbox::{Fault, Instance, Intent, ProgramState, StartParameters, Step, StopReason};
use crate::store::{
    AuditNote, CallVerdict, JournalEvent, RequiredDurability, RunState, size_of_outcome,
};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::{Sleep, sleep};

/// A program gives way after this long, also when it is made of many short steps.
const TURN: Duration = Duration::from_millis(1);

/// How long calls that only read are out before the journal says so: most are answered by then, and
/// are written down together with their answer.
const HELD_BACK: Duration = Duration::from_millis(5);

/// What an entry takes in the journal beside its texts: its numbers, and what the tool is.
const ENTRY: usize = 1 << 10;

/// What comes first.
pub(super) enum InitialStep {
    /// The program is to be started.
    Start(StartParameters),
    /// A rebuilt program stands after this step; the calls of it that the journal knows are taken
    /// up already.
    Step(Step),
}

/// How a program ended by itself.
pub(super) struct ProgramEnd {
    pub(super) ending: ProgramResult,
    pub(super) unhandled: Vec<Fault>,
    pub(super) dropped_lines: u32,
}

/// Its result or its fault, before it is placed in the source.
pub(super) enum ProgramResult {
    /// One JSON text, as the guest wrote it.
    Finished(Option<String>),
    Fault(Fault),
}

/// A run in memory.
pub(super) struct LiveRun {
    pub(super) instance: Instance,
    pub(super) calls: OpenCalls,
    pub(super) clock: RunClock,
    pub(super) console: Arc<RunConsole>,
    pub(super) made: u64,
    /// Whether something was noted that is not to be held back until the next outcome.
    pub(super) hurry: bool,
    /// Until when other things are.
    pub(super) held_back: Option<Pin<Box<Sleep>>>,
    pub(super) limits: Limits,
    pub(super) next: Option<InitialStep>,
    /// Everything that was asked, answered or not.
    pub(super) questions: Vec<Question>,
    /// What ends the run before it goes on.
    pub(super) refused: Option<RecordedDecision>,
    /// Whether the run is to be left where it is.
    pub(super) leave: Arc<AtomicBool>,
    pub(super) recording: Option<Recording>,
}

impl LiveRun {
    /// Runs until the program ends; nothing says that only people can help.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) async fn advance(
        &mut self,
        ledger: &mut JournalWriter,
    ) -> Result<Option<ProgramEnd>, RunError> {
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
            && let Some(end) = self.take(step, ledger)?
        {
            return Ok(Some(end));
        }
        loop {
            self.dispatch(ledger).await?;
            let Some(mut arrivals) = self.next(ledger).await else { return Ok(None) };
            if arrivals.is_empty() {
                continue;
            }
            self.measure(ledger);
            let mut full = Ok(());
            for NextOutcome { call, settled, at } in &mut arrivals {
                // A call that went out is not forgotten because its answer is too large to keep.
                let size = size_of_outcome(settled);
                if let Err(stop) = ledger.has_room(ENTRY + size) {
                    *settled = not_kept(size, self.limits.journal);
                    full = Err(stop);
                }
                let what = JournalEvent::Settled { call: *call, settled: settled.clone() };
                ledger.note(*at, what);
            }
            // What the host spent on arguments and answers is the program's time too. What was
            // noted is written with the end.
            full.and_then(|()| self.instance.check_cpu_time())?;
            // The program sees nothing that a journal could forget.
            ledger.write(RunState::Running, RequiredDurability::Process).await?;
            if self.leave.load(Ordering::Relaxed) {
                return Err(RunError::Suspended);
            }
            for NextOutcome { call, settled, at } in arrivals {
                if yielded.elapsed() > TURN {
                    tokio::task::yield_now().await;
                    yielded = Instant::now();
                }
                self.instance.release(self.calls.released());
                let given = self.recording.is_some().then(|| (call, settled.clone()));
                let step = self.instance.resume(call, settled, at);
                let step = with_calls(&mut self.calls, step).await?;
                self.record(at, given, &step);
                if let Some(end) = self.take(step, ledger)? {
                    return Ok(Some(end));
                }
                self.dispatch(ledger).await?;
            }
        }
    }

    /// Takes what a step asked for, also the last one: such calls never leave, and are named as
    /// abandoned.
    fn take(
        &mut self,
        step: Step,
        ledger: &mut JournalWriter,
    ) -> Result<Option<ProgramEnd>, StopReason> {
        let requests = |intent: &&Intent| matches!(intent, Intent::Request { .. });
        self.made += step.intents.iter().filter(requests).count() as u64;
        if !step.intents.is_empty() {
            self.measure(ledger);
        }
        let now = self.clock.last();
        for intent in step.intents {
            match intent {
                Intent::Request { id, tool, arguments } => {
                    let text = arguments.as_deref().map_err(|size| *size);
                    ledger.has_room(ENTRY + tool.len() + text.map_or(0, str::len))?;
                    let verdict = self.calls.request(id, &tool, text, now, self.limits.arguments);
                    // A timer, a question or a refusal is a fact of its own, which nothing that
                    // follows repeats.
                    self.hurry |= verdict != CallVerdict::Go;
                    ledger
                        .note(now, JournalEvent::Requested { call: id, tool, arguments, verdict });
                }
                Intent::Cancel(id) => {
                    if let Some(sent) = self.calls.cancel(id) {
                        self.hurry = true;
                        ledger.note(now, JournalEvent::Cancelled { call: id, sent });
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

    /// Notes the calls that go out, and sends them.
    async fn dispatch(&mut self, ledger: &mut JournalWriter) -> Result<(), RunError> {
        self.note(ledger);
        let leaving = self.calls.leaving();
        ledger.has_room(leaving.len() * ENTRY)?;
        for call in &leaving {
            let ResolvedTool { tool, effects, origin, .. } = call.found.resolved.clone();
            let approved = call.approval.as_ref().map(|approval| approval.digest().to_owned());
            let call = call.call;
            let what = JournalEvent::Executing { call, tool, origin, effects, approved };
            ledger.note(self.clock.last(), what);
        }
        let effects = leaving.iter().any(|call| call.found.effects != Effects::ReadOnly);
        let hurry = std::mem::take(&mut self.hurry);
        if effects {
            ledger.write(RunState::Running, RequiredDurability::Disk).await?;
        } else if hurry && !ledger.is_blank() {
            // What only reads need not wait until it is known to have left.
            drop(ledger.write(RunState::Running, RequiredDurability::Process));
        }
        self.calls.send(leaving);
        Ok(())
    }

    /// Waits for the next outcomes. What was noted meanwhile is not held back for long: somebody
    /// may look at the run.
    async fn next(&mut self, ledger: &mut JournalWriter) -> Option<Vec<NextOutcome>> {
        let mut next = pin!(self.calls.next(&mut self.clock));
        if !ledger.is_blank() {
            // One timer serves many calls: setting one wakes the runtime, which costs more than
            // looking once too often.
            let held_back = self.held_back.get_or_insert_with(|| Box::pin(sleep(HELD_BACK)));
            if held_back.is_elapsed() {
                held_back.as_mut().reset(tokio::time::Instant::now() + HELD_BACK);
            }
            tokio::select! {
                biased;
                arrivals = &mut next => return arrivals,
                // If it fails, so does what is written next.
                () = held_back => drop(ledger.write(RunState::Running, RequiredDurability::Process)),
            }
        }
        next.await
    }

    /// Has the trail tell what people agreed to.
    pub(super) fn note(&mut self, ledger: &mut JournalWriter) {
        let at = self.clock.last();
        for what in self.calls.notes() {
            ledger.audit(AuditNote::new(at, Some(ledger.run()), what));
        }
    }

    /// Takes the reading of the meters.
    pub(super) fn measure(&self, ledger: &mut JournalWriter) {
        ledger.measure(self.instance.cpu_time(), self.console.written(), self.made);
    }

    fn record(&mut self, now: Timestamp, settled: Option<(CallId, CallResult)>, step: &Step) {
        if let Some(recording) = &mut self.recording {
            recording.push(now, settled, step);
        }
    }

    /// Does what was decided.
    pub(super) fn decide(&mut self, decided: &[RecordedDecision]) {
        for one in decided {
            // The latest questions are asked about most.
            let asked = self.questions.iter().rev().find(|asked| asked.id == one.question);
            let Some(ask) = asked.and_then(|asked| asked.ask(one.ask)) else { continue };
            // Where there is no call that could be given a refusal, it is the run that is refused.
            let refuses = ask.call.is_none() && one.decision == Decision::Decline;
            if one.decision.ends() || refuses {
                self.refused = Some(one.clone());
                return;
            }
            self.calls.decide(ask, one);
        }
    }

    /// The questions that calls wait for.
    pub(super) fn open_questions(&self) -> Vec<Question> {
        let open = self.questions.iter().filter(|question| self.calls.waits_for(question.id));
        open.cloned().collect()
    }
}

/// Stands for an outcome that the journal has no room for. The program never sees it.
fn not_kept(size: usize, limit: usize) -> CallResult {
    CallResult::Error {
        code: Code::JournalSize.as_str().into(),
        message: format!(
            "the call has an outcome of {size} bytes, which was not kept: the run may use {limit} bytes of the journal"
        ),
        data: None,
    }
}

/// Runs a step. Each time the guest gives way, the calls that are out go on too.
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
