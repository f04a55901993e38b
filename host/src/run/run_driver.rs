//! One run from its first step to its outcome, in memory or put away in between.

use super::calls::{GrantPersistence, OpenCalls};
use super::checkpoint::Checkpoint;
use super::console::RunConsole;
use super::rebuild::{self, allowance};
use super::recording::Recording;
use super::run_clock::RunClock;
use super::{Ending, Engine, Outcome, failure};
use crate::error::Error;
use crate::event::{Event, EventSink};
use crate::model::{Code, Limits, Question, RunBudget, RunId, Timestamp, span};
use crate::router::Router;
use crate::run::journal_writer::JournalWriter;
use crate::run::live_run::{InitialStep, LiveRun};
use crate::run::question_waiter::{QuestionWaiter, WakeReason};
use crate::run::run_error::RunError;
use crate::sandbox::{Instance, Intent, StartParameters, Step, StopReason};
use crate::source::Program;
use crate::store::{JournalEvent, RequiredDurability, RunHeader, RunState, StoredRun, Timeline};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};
use tracing::{debug, info};

/// A run that was put away is not rebuilt for its sleeps before this many times what that took the
/// last time.
const REST: u32 = 20;

/// What a program starts with.
pub(super) struct NewRun {
    pub(super) program: Program,
    pub(super) begin: StartParameters,
    pub(super) limits: Limits,
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) instance: Instance,
    pub(super) console: Arc<RunConsole>,
}

/// How a run comes into memory.
pub(super) enum RunStart {
    /// For the first time.
    New(Box<NewRun>),
    /// From its journal.
    Stored(Box<StoredRun>),
}

/// Why a run left memory.
enum InMemoryResult {
    Ended(Box<Outcome>),
    Evicted { due: Option<Timestamp> },
}

/// A run, wherever it is.
pub(super) struct RunDriver {
    pub(super) engine: Engine,
    pub(super) script: String,
    pub(super) router: Arc<Router>,
    pub(super) events: Arc<dyn EventSink>,
    pub(super) ledger: JournalWriter,
    pub(super) desk: QuestionWaiter,
    pub(super) clock: RunClock,
    pub(super) told: Arc<AtomicU64>,
    pub(super) recorded: bool,
    /// Whether the run is to be left where it is.
    pub(super) leave: Arc<AtomicBool>,
    /// How long it took to rebuild the run the last time.
    pub(super) rebuilding: Duration,
}

impl RunDriver {
    /// Runs to the end, or until nobody here can help.
    pub(super) async fn run(mut self, mut start: RunStart) -> Result<Outcome, Error> {
        // A person may have ended a run that nobody had.
        if let RunStart::Stored(_) = &start {
            let decided = self.desk.decided().await?;
            if let Some(outcome) = self.over_while_away(WakeReason::Decided(decided)).await? {
                return Ok(outcome);
            }
        }
        loop {
            // In a box of its own: a run that is put away holds as little as it can.
            let due = match Box::pin(self.in_memory(start)).await? {
                InMemoryResult::Ended(outcome) => return Ok(*outcome),
                InMemoryResult::Evicted { due } => due,
            };
            self.events.event(&Event::Evicted { run: self.id() });
            // Its sleeps may end late: rebuilding a run is work that nobody is charged for.
            let rested = self.clock.now().plus(self.rebuilding.saturating_mul(REST));
            let due = due.map(|due| due.max(rested));
            let woke = self.desk.wait(&mut self.clock, due, None).await?;
            if let Some(outcome) = self.over_while_away(woke).await? {
                return Ok(outcome);
            }
            start = RunStart::Stored(Box::new(self.ledger.journal().load(self.id()).await?));
        }
    }

    fn id(&self) -> RunId {
        self.ledger.run()
    }

    /// Ends a run that need not be rebuilt for it.
    async fn over_while_away(&mut self, woke: WakeReason) -> Result<Option<Outcome>, Error> {
        match woke {
            WakeReason::Decided(decided) => {
                match decided.iter().find(|decided| decided.decision.ends()) {
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

    /// Runs in memory until the run is over or its slot is needed.
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
            Err(trouble) => {
                return Ok(InMemoryResult::Ended(Box::new(self.failed(trouble, None).await?)));
            }
        };
        loop {
            if let Some(refused) = live.refused.take() {
                let outcome = self.aborted(&refused, Some(&mut live)).await?;
                return Ok(InMemoryResult::Ended(Box::new(outcome)));
            }
            self.ledger.stopwatch.go();
            let left = live.limits.timeout.saturating_sub(self.ledger.stopwatch.elapsed());
            let advanced = tokio::time::timeout(left, live.advance(&mut self.ledger)).await;
            self.ledger.stopwatch.stop();
            self.clock = live.clock.clone();
            let ended = match advanced {
                Ok(Ok(Some(end))) => Some(self.ended(end, &mut live, &program).await?),
                Ok(Ok(None)) => None,
                Ok(Err(trouble)) => Some(self.failed(trouble, Some(&mut live)).await?),
                Err(_) => {
                    let message = format!("the run took longer than {}", span(live.limits.timeout));
                    let failure = failure::plain(Code::Timeout, message);
                    Some(self.conclude(Ending::Failed(failure), Some(&mut live)).await?)
                }
            };
            if let Some(outcome) = ended {
                return Ok(InMemoryResult::Ended(Box::new(outcome)));
            }
            if let Some(left) = self.wait(&mut live).await? {
                return Ok(left);
            }
        }
    }

    /// Waits for people. Nothing says that the program can go on.
    async fn wait(&mut self, live: &mut LiveRun) -> Result<Option<InMemoryResult>, Error> {
        if let Err(stop) = self.raise(live).await? {
            let over = self.failed(stop.into(), Some(live)).await?;
            return Ok(Some(InMemoryResult::Ended(Box::new(over))));
        }
        let due = live.calls.next_due();
        let seat = self.engine.parking.sit(live.instance.memory());
        let woke = self.desk.wait(&mut live.clock, due, Some(&seat)).await?;
        self.clock = live.clock.clone();
        let over = match woke {
            WakeReason::TimerDue => return Ok(None),
            WakeReason::Evict => return Ok(Some(InMemoryResult::Evicted { due })),
            WakeReason::Decided(decided) => {
                live.decide(&decided);
                return Ok(None);
            }
            WakeReason::Expired(question) => {
                self.conclude(Ending::Expired(question), Some(live)).await?
            }
            WakeReason::NoApprover => self.waiting(Some(live)).await,
        };
        Ok(Some(InMemoryResult::Ended(Box::new(over))))
    }

    /// Puts everything that waits for a person and was not asked yet into one question, and takes
    /// back the questions that nothing waits for any more.
    async fn raise(&mut self, live: &mut LiveRun) -> Result<Result<(), StopReason>, Error> {
        let now = live.clock.now();
        live.note(&mut self.ledger);
        live.measure(&mut self.ledger);
        for question in self.desk.withdraw(|question| live.calls.waits_for(question)) {
            self.ledger.note(now, JournalEvent::Withdrawn { question });
        }
        let asks = live.calls.unasked();
        if asks.is_empty() {
            if !self.ledger.is_blank() {
                self.ledger.write(RunState::Waiting, RequiredDurability::Process).await?;
            }
            return Ok(Ok(()));
        }
        let expires = self.engine.settings.question_lifetime.map(|lifetime| now.plus(lifetime));
        let question = Question::new(self.id(), self.script.clone(), now, expires, asks);
        let asked = JournalEvent::Asked { question: question.clone() };
        if let Err(stop) = self.ledger.has_room(asked.size()) {
            return Ok(Err(stop));
        }
        live.calls.asked(&question);
        live.questions.push(question.clone());
        self.ledger.note(now, asked);
        self.ledger.write(RunState::Waiting, RequiredDurability::Process).await?;
        let (run, asks) = (self.id(), question.asks.len());
        info!(target: "pml::run", %run, question = %question.id, asks, "run waits for a person");
        self.events.event(&Event::Asked { run: self.id(), question: question.clone() });
        self.desk.ask(question);
        Ok(Ok(()))
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
            hurry: false,
            held_back: None,
            limits,
            next: Some(InitialStep::Start(begin)),
            questions: Vec::new(),
            refused: None,
            leave: self.leave.clone(),
            recording,
        }
    }

    /// Brings a run back from its journal.
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
        let mut patient = limits.clone();
        patient.cpu_time = allowance(limits.cpu_time);
        let (engine, printer) = (self.engine.clone(), console.clone());
        let mut instance = engine.instance(patient, printer.on_line()).await?;
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
        let decided = self.desk.decided().await?;
        let step = replayed.restore(&history, &decided, &mut calls);
        instance.take_up(history.meter.cpu, limits.cpu_time, calls.held() + held(&step));
        self.clock.reach(history.last);
        let made = history.calls.len() as u64;
        let unanswered: Vec<_> = history.unanswered(&decided).collect();
        let mut live = LiveRun {
            instance,
            calls,
            clock: self.clock.clone(),
            console,
            made,
            hurry: false,
            held_back: None,
            limits,
            next: Some(InitialStep::Step(step)),
            questions,
            refused: None,
            leave: self.leave.clone(),
            recording,
        };
        live.decide(&decided);
        for question in live.open_questions() {
            self.desk.ask(question);
        }
        let at = live.clock.now();
        // What the policy decides by now, nobody is asked about any more.
        for question in unanswered.into_iter().filter(|one| !live.calls.waits_for(*one)) {
            self.ledger.note(at, JournalEvent::Withdrawn { question });
        }
        debug!(target: "pml::run", run = %self.id(), calls = live.made, "run rebuilt");
        self.events.event(&Event::Resumed { run: self.id(), at });
        Ok(live)
    }

    fn console(&self) -> Arc<RunConsole> {
        Arc::new(RunConsole::new(self.id(), self.events.clone(), self.told.clone()))
    }

    fn calls(
        &self,
        limits: &Limits,
        checkpoint: Option<Checkpoint>,
        instance: &Instance,
    ) -> OpenCalls {
        let Engine { settings, journal, .. } = &self.engine;
        let (keeper, clock) = (settings.keeper.clone(), settings.clock.clone());
        let keepers = GrantPersistence { keeper, journal: journal.clone(), clock };
        let (router, events) = (self.router.clone(), self.events.clone());
        let budget = RunBudget::new(limits, instance.cpu_use());
        OpenCalls::new(self.id(), limits, budget, router, events, checkpoint, keepers)
    }
}

/// The bytes of arguments that the calls of a step hold.
fn held(step: &Step) -> usize {
    let size = |intent: &Intent| match intent {
        Intent::Request { arguments: Ok(arguments), .. } => arguments.len(),
        _ => 0,
    };
    step.intents.iter().map(size).sum()
}

/// The program of a stored run.
pub(super) fn program(header: &RunHeader) -> Result<Program, Error> {
    serde_json::from_str(&header.program).map_err(|error| {
        Error::new(Code::Journal, "the journal's program cannot be read").with_source(error)
    })
}

/// What a stored run starts with.
pub(super) fn begin(header: &RunHeader, program: &Program) -> StartParameters {
    StartParameters { modules: modules(program), inputs: header.inputs.clone(), seed: header.seed }
}

/// The modules of a program as the sandbox takes them.
pub(super) fn modules(program: &Program) -> Vec<crate::sandbox::GuestModule> {
    let modules = program.modules.iter().map(|module| crate::sandbox::GuestModule {
        name: module.name.clone(),
        code: module.code.clone(),
        first_line: module.first_line,
        imports: module.imports.clone(),
    });
    modules.collect()
}
