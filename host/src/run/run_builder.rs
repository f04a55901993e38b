//! A run before it starts: what to run, with what.

use super::console::RunConsole;
use super::run_clock::RunClock;
use super::stopwatch::Stopwatch;
use super::{Engine, Outcome};
use crate::approval::Approver;
use crate::error::Error;
use crate::event::EventSink;
use crate::model::{Code, RunId, Tenant, span};
use crate::router::{Router, Tools};
use crate::run::journal_writer::{JournalQuota, JournalWriter};
use crate::run::question_waiter::QuestionWaiter;
use crate::run::run_driver::{NewRun, RunDriver, RunStart};
use crate::run::run_error::RunError;
use crate::run::run_request::{PreparedRun, RunRequest};
use crate::source::Script;
use crate::store::{JournalEvent, Lease, Meter, RequiredDurability, RunHeader, RunState};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use std::{fmt, sync::Arc};
use tracing::info;

/// One run of a program. It starts when it is awaited, inside a tokio runtime. Dropped before it is
/// over, it is cut off where it is, its calls are cancelled, and [`Engine::resume`] can take it up.
#[must_use = "a run starts when it is awaited"]
pub struct Run {
    engine: Engine,
    id: RunId,
    /// What was told of a new run; nothing if it is in the journal already.
    told: Option<Box<RunRequest>>,
    /// The first option that was set and cannot apply, because the run is in the journal already.
    inapplicable: Option<&'static str>,
    tools: Arc<dyn Tools>,
    events: Arc<dyn EventSink>,
    approver: Arc<dyn Approver>,
    recorded: bool,
    leave: Arc<AtomicBool>,
}

impl Run {
    pub(super) fn of_script(engine: Engine, script: Script) -> Run {
        Run::new(engine, RunId::new(), Some(Box::new(RunRequest::new(script))))
    }

    pub(super) fn of_journal(engine: Engine, run: RunId) -> Run {
        Run::new(engine, run, None)
    }

    fn new(engine: Engine, id: RunId, told: Option<Box<RunRequest>>) -> Run {
        Run {
            engine,
            id,
            told,
            inapplicable: None,
            tools: Arc::new(()),
            events: Arc::new(()),
            approver: Arc::new(()),
            recorded: false,
            leave: Arc::default(),
        }
    }

    /// Returns the id of this run.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Sets an option of a new run. A run that the journal has already knows it: the option is an
    /// error there, once the run is awaited.
    fn set(mut self, option: &'static str, set: impl FnOnce(&mut RunRequest)) -> Run {
        match &mut self.told {
            Some(told) => set(told),
            None => self.inapplicable = self.inapplicable.or(Some(option)),
        }
        self
    }

    /// Gives the program its `inputs`. Without this they are `{}`, or those of the run that it
    /// takes up.
    pub fn inputs(self, inputs: Value) -> Run {
        self.set("inputs", |told| told.inputs = Some(inputs))
    }

    /// Gives the program its random numbers. Without this they come from the OS, or from the run
    /// that it takes up.
    pub fn seed(self, seed: [u8; 32]) -> Run {
        self.set("seed", |told| told.seed = Some(seed))
    }

    /// Takes up what an earlier run has done: a mended program gets the outcomes of calls that it
    /// makes again, with the clock readings of then. Calls that failed are made again. If that run
    /// had calls with effects that this program does not make again, a person is asked before
    /// anything goes out. The earlier run is over with it.
    pub fn resume_from(self, run: RunId) -> Run {
        self.set("resume_from", |told| told.resume_from = Some(run))
    }

    /// Says on whose behalf it runs.
    pub fn tenant(self, tenant: Tenant) -> Run {
        self.set("tenant", |told| told.tenant = tenant)
    }

    /// Says which trace it belongs to: 32 hex digits, as in W3C trace contexts. Without this it
    /// begins one.
    pub fn trace(self, trace: impl Into<String>) -> Run {
        self.set("trace", |told| told.trace = Some(trace.into()))
    }

    /// Gives the program its tools. Which of them it may call,
    /// [`Config::allow_tool`](crate::Config::allow_tool) says.
    pub fn tools(mut self, tools: impl Tools) -> Run {
        self.tools = Arc::new(tools);
        self
    }

    /// Asks a person through `approver` where the policy says so. Without this the run ends as
    /// [`Ending::Waiting`](crate::Ending::Waiting) where it would have to ask.
    pub fn approver(mut self, approver: impl Approver) -> Run {
        self.approver = Arc::new(approver);
        self
    }

    /// Tells `sink` what happens, as it happens.
    pub fn events(mut self, sink: impl EventSink + 'static) -> Run {
        self.events = Arc::new(sink);
        self
    }

    /// Leaves the run where it is once `when` is set and the next outcome of a call is journalled:
    /// nothing more is called, it gives an error of the kind
    /// [`Code::Cancelled`](crate::Code::Cancelled), and [`Engine::resume`] goes on with it.
    pub fn leave(mut self, when: Arc<AtomicBool>) -> Run {
        self.leave = when;
        self
    }

    /// Keeps every step, so that [`Engine::replay`] can run it again.
    pub fn recorded(mut self) -> Run {
        self.recorded = true;
        self
    }

    async fn go(self) -> Result<Outcome, Error> {
        let run = self.id;
        info!(target: "pml::run", %run, new = self.told.is_some(), "run begins");
        // In a box of its own: what it takes to begin is not held while the run waits.
        let outcome = match Box::pin(self.begin()).await {
            Ok(Ok((session, start))) => session.run(start).await,
            Ok(Err(refused)) => Ok(*refused),
            Err(error) => Err(error),
        };
        match &outcome {
            Ok(Outcome { ending, usage, .. }) => info!(
                target: "pml::run",
                %run,
                ending = ending.name(),
                code = ending.code(),
                calls = usage.calls,
                cpu = span(usage.cpu_time),
                wall = span(usage.wall_time),
                "run ended"
            ),
            Err(error) => info!(target: "pml::run", %run, code = %error.kind(), "run failed"),
        }
        outcome
    }

    async fn begin(mut self) -> Result<Result<(RunDriver, RunStart), Box<Outcome>>, Error> {
        if let Some(option) = self.inapplicable {
            let message = format!("a run that is resumed takes no `{option}`: its journal has it");
            return Err(Error::new(Code::Config, message)
                .with_hint("leave it out, or begin a new run that takes this one up"));
        }
        let Some(told) = self.told.take() else { return Ok(Ok(self.take_up().await?)) };
        let prepared = match told.prepare(&self.engine, self.id).await? {
            Ok(prepared) => prepared,
            Err(refused) => return Ok(Err(refused)),
        };
        let PreparedRun { mut header, program, begin, checkpoint, cpu, wall } = prepared;
        let (limits, lines) = (header.limits.clone(), Arc::new(AtomicU64::new(0)));
        let console = Arc::new(RunConsole::new(self.id, self.events.clone(), lines.clone()));
        let instance = self.engine.instance(limits.clone(), console.clone().on_line()).await;
        let mut instance = instance.map_err(|stop| Error::from(RunError::from(stop)))?;
        instance.take_up(cpu, limits.cpu_time, 0);
        // Waiting for a slot is not the program's time.
        let mut stopwatch = Stopwatch::new(wall);
        stopwatch.go();
        header.created = self.engine.settings.clock.now();
        if header.resumed_from.is_none() {
            header.started = header.created;
        }
        let fresh = Box::new(NewRun { program, begin, limits, checkpoint, instance, console });
        let (script, started) = (header.script.clone(), header.started);
        let kept = JournalQuota { size: header.size(), limit: header.limits.journal };
        let lease = self.engine.journal.create(header).await?;
        let clock = RunClock::new(self.engine.settings.clock.clone(), started);
        let mut session =
            self.session(lease, script, RunState::Running, Meter::default(), clock, kept);
        session.told = lines;
        session.ledger.stopwatch = stopwatch;
        Ok(Ok((session, RunStart::New(fresh))))
    }

    /// Takes over a run that the journal has.
    async fn take_up(self) -> Result<(RunDriver, RunStart), Error> {
        let lease = self.engine.journal.claim(self.id).await?;
        let stored = self.engine.journal.load(self.id).await?;
        let RunHeader { script, started, limits, .. } = &stored.header;
        let kept = JournalQuota { size: stored.size(), limit: limits.journal };
        let last = stored.entries.last();
        let meter = last.map_or_else(Meter::default, |entry| entry.meter);
        let last = last.map_or(*started, |entry| entry.at);
        let mut clock = RunClock::new(self.engine.settings.clock.clone(), last);
        let at = clock.now();
        let mut session = self.session(lease, script.clone(), stored.state, meter, clock, kept);
        let pml = env!("CARGO_PKG_VERSION").into();
        session.ledger.note(at, JournalEvent::Resumed { pml });
        session.ledger.write(stored.state, RequiredDurability::Process).await?;
        Ok((session, RunStart::Stored(Box::new(stored))))
    }

    fn session(
        self,
        lease: Lease,
        script: String,
        state: RunState,
        meter: Meter,
        clock: RunClock,
        kept: JournalQuota,
    ) -> RunDriver {
        let Run { engine, id, tools, events, approver, recorded, leave, .. } = self;
        let journal = engine.journal.clone();
        let ledger = JournalWriter::new(journal.clone(), lease, state, meter, kept);
        let desk = QuestionWaiter::new(id, journal, approver, events.clone());
        let router = Arc::new(Router::new(engine.policy.clone(), tools));
        let told = Arc::new(AtomicU64::new(meter.lines));
        let rebuilding = Duration::ZERO;
        RunDriver {
            engine,
            script,
            router,
            events,
            ledger,
            desk,
            clock,
            told,
            recorded,
            leave,
            rebuilding,
        }
    }
}

impl IntoFuture for Run {
    type Output = Result<Outcome, Error>;
    type IntoFuture = BoxFuture<'static, Result<Outcome, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("id", &self.id).finish_non_exhaustive()
    }
}
