//! Drives one run from its first step to its outcome. A run that waits may leave memory meanwhile.

use super::calls::{GrantPersistence, OpenCalls};
use super::checkpoint::Checkpoint;
use super::console::RunConsole;
use super::rebuild::{self, allowance};
use super::recording::Recording;
use super::run_clock::RunClock;
use super::{Ending, Engine, Outcome, failure};
use crate::error::Error;
use crate::event::{Event, EventSink};
use crate::model::{CallResult, Code, Limits, Question, RunBudget, RunId, Timestamp, format_span};
use crate::router::Router;
use crate::run::journal_writer::JournalWriter;
use crate::run::live_run::{Advance, InitialStep, LiveRun};
use crate::run::question_waiter::{QuestionWaiter, WakeReason};
use crate::run::run_error::RunError;
use crate::sandbox::{Instance, Intent, StartParameters, Step, StopReason};
use crate::source::Program;
use crate::store::{JournalEvent, RunHeader, RunState, StoredRun, Timeline, WriteDurability};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};
use tracing::{debug, info};

/// The minimum time before an evicted run is rebuilt for one of its sleeps, as a multiple
/// of the duration of its last rebuild.
const REST: u32 = 20;

/// A run that has never been in memory.
pub(super) struct NewRun {
    pub(super) program: Program,
    pub(super) begin: StartParameters,
    pub(super) limits: Limits,
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) instance: Instance,
    pub(super) console: Arc<RunConsole>,
}

/// Where a run comes from.
pub(super) enum RunStart {
    /// It is new.
    New(Box<NewRun>),
    /// It is rebuilt from its journal.
    Stored(Box<StoredRun>),
}

/// The reason why a run left memory.
enum InMemoryResult {
    Ended(Box<Outcome>),
    Evicted { due: Option<Timestamp> },
}

/// A run, in memory or not.
pub(super) struct RunDriver {
    pub(super) engine: Engine,
    pub(super) script: String,
    pub(super) router: Arc<Router>,
    pub(super) events: Arc<dyn EventSink>,
    pub(super) journal: JournalWriter,
    pub(super) questions: QuestionWaiter,
    pub(super) clock: RunClock,
    /// The number of console lines that were reported.
    pub(super) reported_lines: Arc<AtomicU64>,
    pub(super) recorded: bool,
    /// Set when the run is to be suspended.
    pub(super) suspend: Arc<AtomicBool>,
    /// How long the last rebuild took.
    pub(super) rebuilding: Duration,
}

impl RunDriver {
    /// Runs to the end, or until a person must decide and the run has no approver.
    pub(super) async fn run(mut self, mut start: RunStart) -> Result<Outcome, Error> {
        // A person may have ended a run that no process had.
        if let RunStart::Stored(_) = &start {
            let decided = self.questions.decided().await?;
            if let Some(outcome) = self.end_while_evicted(WakeReason::Decided(decided)).await? {
                return Ok(outcome);
            }
        }
        loop {
            // In a box of its own: an evicted run holds as little memory as it can.
            let due = match Box::pin(self.in_memory(start)).await? {
                InMemoryResult::Ended(outcome) => return Ok(*outcome),
                InMemoryResult::Evicted { due } => due,
            };
            self.events.event(&Event::Evicted { run: self.id() });
            // Its sleeps may end late: no budget is charged for rebuilding a run.
            let rested = self.clock.now().plus(self.rebuilding.saturating_mul(REST));
            let due = due.map(|due| due.max(rested));
            let reason = self.questions.wait(&mut self.clock, due, None).await?;
            if let Some(outcome) = self.end_while_evicted(reason).await? {
                return Ok(outcome);
            }
            start = RunStart::Stored(Box::new(self.journal.journal().load(self.id()).await?));
        }
    }

    fn id(&self) -> RunId {
        self.journal.run()
    }

    /// Ends a run without rebuilding it, if it ends for this reason. Returns `None` otherwise.
    async fn end_while_evicted(&mut self, reason: WakeReason) -> Result<Option<Outcome>, Error> {
        match reason {
            WakeReason::Decided(decided) => {
                match decided.iter().find(|decided| decided.decision.ends_run()) {
                    Some(ends) => Ok(Some(self.aborted(ends, None).await?)),
                    None => Ok(None),
                }
            }
            WakeReason::Expired(question) => {
                Ok(Some(self.conclude(Ending::Expired(question), None).await?))
            }
            WakeReason::NoApprover => Ok(Some(self.waiting(None).await)),
            WakeReason::TimerDue | WakeReason::Evict => Ok(None),
        }
    }

    /// Runs in memory until the run ends or its slot is needed.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    async fn in_memory(&mut self, start: RunStart) -> Result<InMemoryResult, Error> {
        let (program, live) = match start {
            RunStart::New(fresh) => (fresh.program.clone(), Ok(self.begin(*fresh))),
            RunStart::Stored(stored) => {
                let program = program(&stored.header)?;
                let began = Instant::now();
                let live = self.rebuild(*stored, &program).await;
                self.rebuilding = began.elapsed();
                (program, live)
            }
        };
        let mut live = match live {
            Ok(live) => Box::new(live),
            Err(error) => {
                return Ok(InMemoryResult::Ended(Box::new(self.failed(error, None).await?)));
            }
        };
        loop {
            if let Some(refused) = live.refused.take() {
                let outcome = self.aborted(&refused, Some(&mut live)).await?;
                return Ok(InMemoryResult::Ended(Box::new(outcome)));
            }
            self.journal.stopwatch.start();
            let remaining = live.limits.timeout.saturating_sub(self.journal.stopwatch.elapsed());
            let advanced = tokio::time::timeout(remaining, live.advance(&mut self.journal)).await;
            self.journal.stopwatch.stop();
            self.clock = live.clock.clone();
            let ended = match advanced {
                Ok(Ok(Advance::Ended(end))) => Some(self.ended(end, &mut live, &program).await?),
                Ok(Ok(Advance::WaitsForPeople)) => None,
                Ok(Err(error)) => Some(self.failed(error, Some(&mut live)).await?),
                Err(_) => {
                    let message =
                        format!("the run took longer than {}", format_span(live.limits.timeout));
                    let failure = failure::plain(Code::Timeout, message);
                    Some(self.conclude(Ending::Failed(failure), Some(&mut live)).await?)
                }
            };
            if let Some(outcome) = ended {
                return Ok(InMemoryResult::Ended(Box::new(outcome)));
            }
            if let ControlFlow::Break(result) = self.wait(&mut live).await? {
                return Ok(result);
            }
        }
    }

    /// Waits for people. Returns `Continue` when the program can continue.
    async fn wait(&mut self, live: &mut LiveRun) -> Result<ControlFlow<InMemoryResult>, Error> {
        if let Err(error) = self.ask(live).await {
            let outcome = self.failed(error, Some(live)).await?;
            return Ok(ControlFlow::Break(InMemoryResult::Ended(Box::new(outcome))));
        }
        let due = live.calls.next_due();
        let waiting = self.engine.waiting_runs.add(live.instance.memory());
        let reason = self.questions.wait(&mut live.clock, due, Some(&waiting)).await?;
        self.clock = live.clock.clone();
        let outcome = match reason {
            WakeReason::TimerDue => return Ok(ControlFlow::Continue(())),
            WakeReason::Evict => return Ok(ControlFlow::Break(InMemoryResult::Evicted { due })),
            WakeReason::Decided(decided) => {
                live.decide(&decided);
                return Ok(ControlFlow::Continue(()));
            }
            WakeReason::Expired(question) => {
                self.conclude(Ending::Expired(question), Some(live)).await?
            }
            WakeReason::NoApprover => self.waiting(Some(live)).await,
        };
        Ok(ControlFlow::Break(InMemoryResult::Ended(Box::new(outcome))))
    }

    /// Writes one question with all asks that are not in one yet, and withdraws the questions that
    /// nothing waits for any more.
    async fn ask(&mut self, live: &mut LiveRun) -> Result<(), RunError> {
        let now = live.clock.now();
        live.write_audit_events(&mut self.journal);
        live.measure(&mut self.journal);
        for question in self.questions.withdraw(|question| live.calls.waits_for(question)) {
            self.journal.add(now, JournalEvent::Withdrawn { question });
        }
        let asks = live.calls.unasked();
        if asks.is_empty() {
            if !self.journal.is_empty() {
                self.journal.write(RunState::Waiting, WriteDurability::Process).await?;
            }
            return Ok(());
        }
        let expires = self.engine.settings.question_lifetime.map(|lifetime| now.plus(lifetime));
        let question = Question::new(self.id(), self.script.clone(), now, expires, asks);
        let asked = JournalEvent::Asked { question: question.clone() };
        self.journal.check_room(asked.size())?;
        live.calls.asked(&question);
        live.questions.push(question.clone());
        self.journal.add(now, asked);
        self.journal.write(RunState::Waiting, WriteDurability::Process).await?;
        let (run, asks) = (self.id(), question.asks.len());
        info!(target: "pml::run", %run, question = %question.id, asks, "run waits for a person");
        self.events.event(&Event::Asked { run: self.id(), question: question.clone() });
        self.questions.ask(question);
        Ok(())
    }

    fn begin(&mut self, fresh: NewRun) -> LiveRun {
        let NewRun { begin, limits, checkpoint, instance, console, .. } = fresh;
        let at = self.clock.last();
        self.events.event(&Event::Started { run: self.id(), at });
        let recording = self.recorded.then(|| Recording::new(&begin, &limits));
        LiveRun {
            calls: self.calls(&limits, checkpoint, &instance),
            instance,
            clock: self.clock.clone(),
            console,
            made: 0,
            write_soon: false,
            write_timer: None,
            limits,
            next: Some(InitialStep::Start(begin)),
            questions: Vec::new(),
            refused: None,
            suspend: self.suspend.clone(),
            recording,
            any_call_failed: false,
        }
    }

    /// Rebuilds a run from its journal.
    async fn rebuild(&mut self, stored: StoredRun, program: &Program) -> Result<LiveRun, RunError> {
        let StoredRun { header, entries, .. } = stored;
        let history = Timeline::of(&entries);
        let checkpoint = match &header.checkpoint {
            Some(text) => {
                let checkpoint = Checkpoint::read(text);
                let mut checkpoint =
                    checkpoint.map_err(|error| StopReason::Broken(error.to_string()))?;
                checkpoint.take_all_again(&history);
                Some(checkpoint)
            }
            None => None,
        };
        let limits = header.limits.clone();
        let console = self.console();
        let mut replay_limits = limits.clone();
        replay_limits.cpu_time = allowance(limits.cpu_time);
        let (engine, printer) = (self.engine.clone(), console.clone());
        let mut instance = engine.instance(replay_limits, printer.on_line()).await?;
        let mut recording =
            self.recorded.then(|| Recording::new(&begin(&header, program), &limits));
        let replayed =
            rebuild::replay(&mut instance, &header, program, &history, |now, settled, step| {
                if let Some(recording) = &mut recording {
                    recording.push(now, settled, step);
                }
            })
            .await?;
        let mut calls = self.calls(&limits, checkpoint, &instance);
        let questions: Vec<_> = history.questions.iter().copied().cloned().collect();
        calls.restore_questions(&questions);
        calls.restore_origins(history.calls.values().filter_map(|past| past.sent.as_ref()));
        let decided = self.questions.decided().await?;
        let step = replayed.restore(&history, &decided, &mut calls);
        instance.restore_usage(history.meter.cpu, limits.cpu_time, calls.held() + held(&step));
        self.clock.reach(history.latest_time);
        let made = history.calls.len() as u64;
        let unanswered: Vec<_> = history.unanswered(&decided).collect();
        let any_call_failed = history
            .outcomes
            .iter()
            .any(|outcome| matches!(outcome.settled, CallResult::Error { .. }));
        let mut live = LiveRun {
            instance,
            calls,
            clock: self.clock.clone(),
            console,
            made,
            write_soon: false,
            write_timer: None,
            limits,
            next: Some(InitialStep::Step(step)),
            questions,
            refused: None,
            suspend: self.suspend.clone(),
            recording,
            any_call_failed,
        };
        live.decide(&decided);
        for question in live.open_questions() {
            self.questions.ask(question);
        }
        let at = live.clock.now();
        // Calls that the current policy decides on no longer need a question.
        for question in unanswered.into_iter().filter(|one| !live.calls.waits_for(*one)) {
            self.journal.add(at, JournalEvent::Withdrawn { question });
        }
        debug!(target: "pml::run", run = %self.id(), calls = live.made, "run rebuilt");
        self.events.event(&Event::Resumed { run: self.id(), at });
        Ok(live)
    }

    fn console(&self) -> Arc<RunConsole> {
        Arc::new(RunConsole::new(self.id(), self.events.clone(), self.reported_lines.clone()))
    }

    fn calls(
        &self,
        limits: &Limits,
        checkpoint: Option<Checkpoint>,
        instance: &Instance,
    ) -> OpenCalls {
        let Engine { settings, journal, .. } = &self.engine;
        let (writer, clock) = (settings.grant_writer.clone(), settings.clock.clone());
        let grants = GrantPersistence { writer, journal: journal.clone(), clock };
        let (router, events) = (self.router.clone(), self.events.clone());
        let budget = RunBudget::new(limits, instance.cpu_use());
        OpenCalls::new(self.id(), limits, budget, router, events, checkpoint, grants)
    }
}

/// Returns the bytes of arguments that the calls of a step hold.
fn held(step: &Step) -> usize {
    let size = |intent: &Intent| match intent {
        Intent::Request { arguments: Ok(arguments), .. } => arguments.len(),
        _ => 0,
    };
    step.intents.iter().map(size).sum()
}

/// Returns the program of a stored run.
pub(super) fn program(header: &RunHeader) -> Result<Program, Error> {
    serde_json::from_str(&header.program).map_err(|error| {
        Error::new(Code::Journal, "the journal's program cannot be read").with_source(error)
    })
}

/// Returns the start parameters of a stored run.
pub(super) fn begin(header: &RunHeader, program: &Program) -> StartParameters {
    StartParameters { modules: modules(program), inputs: header.inputs.clone(), seed: header.seed }
}

/// Returns the modules of a program as the sandbox takes them.
pub(super) fn modules(program: &Program) -> Vec<crate::sandbox::GuestModule> {
    let modules = program.modules.iter().map(|module| {
        let refused = module.refused_imports.iter();
        crate::sandbox::GuestModule {
            name: module.name.clone(),
            code: module.code.clone(),
            first_line: module.first_line,
            imports: module.imports.clone(),
            refused_imports: refused.map(|it| (it.specifier.clone(), it.message.clone())).collect(),
        }
    });
    modules.collect()
}
