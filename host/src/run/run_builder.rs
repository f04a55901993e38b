//! A run before it starts: its program, its options, its tools.

use super::console::RunConsole;
use super::run_clock::RunClock;
use super::stopwatch::Stopwatch;
use super::{Ending, Engine, Outcome};
use crate::approval::Approver;
use crate::error::Error;
use crate::event::EventSink;
use crate::model::{Code, RunId, Tenant, format_span};
use crate::router::{Router, Tools};
use crate::run::journal_writer::{JournalQuota, JournalWriter};
use crate::run::question_waiter::QuestionWaiter;
use crate::run::run_driver::{NewRun, RunDriver, RunStart};
use crate::run::run_error::RunError;
use crate::run::run_request::{PreparedRun, RunRequest, StartError};
use crate::source::Script;
use crate::store::{JournalEvent, Lease, Meter, RunHeader, RunState, WriteDurability};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use std::{fmt, sync::Arc};
use tracing::info;

/// One run of a program. It starts when it is awaited, inside a tokio runtime. A run that is dropped
/// before it ends stops where it is, and its calls are cancelled. [`Engine::resume`] can go on with
/// it.
#[must_use = "a run starts when it is awaited"]
pub struct Run {
    engine: Engine,
    id: RunId,
    /// The options of a new run, or `None` if the run is in the journal already.
    request: Option<Box<RunRequest>>,
    /// The first option that was set and cannot apply, because the run is in the journal already.
    inapplicable: Option<&'static str>,
    tools: Arc<dyn Tools>,
    events: Arc<dyn EventSink>,
    approver: Arc<dyn Approver>,
    recorded: bool,
    suspend: Arc<AtomicBool>,
}

impl Run {
    pub(super) fn of_script(engine: Engine, script: Script) -> Run {
        Run::new(engine, RunId::new(), Some(Box::new(RunRequest::new(script))))
    }

    pub(super) fn of_journal(engine: Engine, run: RunId) -> Run {
        Run::new(engine, run, None)
    }

    fn new(engine: Engine, id: RunId, request: Option<Box<RunRequest>>) -> Run {
        Run {
            engine,
            id,
            request,
            inapplicable: None,
            tools: Arc::new(()),
            events: Arc::new(()),
            approver: Arc::new(()),
            recorded: false,
            suspend: Arc::default(),
        }
    }

    /// Returns the id of this run.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Sets an option of a new run. A run that the journal has already knows it: the option is an
    /// error there, once the run is awaited.
    fn set(mut self, option: &'static str, set: impl FnOnce(&mut RunRequest)) -> Run {
        match &mut self.request {
            Some(request) => set(request),
            None => self.inapplicable = self.inapplicable.or(Some(option)),
        }
        self
    }

    /// Gives the program its `inputs`. Without this they are `{}`, or those of the run that it
    /// resumes from.
    pub fn inputs(self, inputs: Value) -> Run {
        self.set("inputs", |request| request.inputs = Some(inputs))
    }

    /// Sets the seed of the program's random numbers. Without this it comes from the OS, or from
    /// the run that it resumes from.
    pub fn seed(self, seed: [u8; 32]) -> Run {
        self.set("seed", |request| request.seed = Some(seed))
    }

    /// Resumes from an earlier run with another program: a call that the earlier run has made gets
    /// its outcome from there, with its clock reading. Calls that failed are made again. If the
    /// earlier run made calls with effects that this program does not make, a person is asked before
    /// any call is sent. The earlier run ends as aborted.
    pub fn resume_from(self, run: RunId) -> Run {
        self.set("resume_from", |request| request.resume_from = Some(run))
    }

    /// Sets the tenant on whose behalf the program runs.
    pub fn tenant(self, tenant: Tenant) -> Run {
        self.set("tenant", |request| request.tenant = tenant)
    }

    /// Sets the trace that the run belongs to: 32 hex digits, as in W3C trace contexts. Without this
    /// the run begins a trace.
    pub fn trace(self, trace: impl Into<String>) -> Run {
        self.set("trace", |request| request.trace = Some(trace.into()))
    }

    /// Gives the program its tools. [`Config::allow_tool`](crate::Config::allow_tool) says which of
    /// them it may call.
    pub fn tools(mut self, tools: impl Tools) -> Run {
        self.tools = Arc::new(tools);
        self
    }

    /// Hands the run's questions to `approver`. Without this the run ends as
    /// [`Ending::Waiting`](crate::Ending::Waiting) at its first question.
    pub fn approver(mut self, approver: impl Approver) -> Run {
        self.approver = Arc::new(approver);
        self
    }

    /// Sends the events of the run to `sink`, as they happen.
    pub fn events(mut self, sink: impl EventSink + 'static) -> Run {
        self.events = Arc::new(sink);
        self
    }

    /// Suspends the run once `when` is set and the next outcome of a call is journalled. Nothing
    /// more is called, the run returns an error of the kind
    /// [`Code::Cancelled`](crate::Code::Cancelled), and [`Engine::resume`] continues it.
    pub fn suspend_when(mut self, when: Arc<AtomicBool>) -> Run {
        self.suspend = when;
        self
    }

    /// Records every step, so that [`Engine::replay`] can replay the run.
    pub fn recorded(mut self) -> Run {
        self.recorded = true;
        self
    }

    async fn execute(self) -> Result<Outcome, Error> {
        let run = self.id;
        info!(target: "pml::run", %run, new = self.request.is_some(), "run begins");
        // In a box of its own: the memory that the start takes is not held while the run waits.
        let outcome = match Box::pin(self.begin()).await {
            Ok((driver, start)) => driver.run(start).await,
            Err(StartError::Refused(failure)) => Ok(Outcome::new(run, Ending::Failed(*failure))),
            Err(StartError::Failed(error)) => Err(error),
        };
        match &outcome {
            Ok(Outcome { ending, usage, .. }) => info!(
                target: "pml::run",
                %run,
                ending = ending.name(),
                code = ending.code(),
                calls = usage.calls,
                cpu = format_span(usage.cpu_time),
                wall = format_span(usage.wall_time),
                "run ended"
            ),
            Err(error) => info!(target: "pml::run", %run, code = %error.kind(), "run failed"),
        }
        outcome
    }

    async fn begin(mut self) -> Result<(RunDriver, RunStart), StartError> {
        if let Some(option) = self.inapplicable {
            let message = format!("a resumed run takes its `{option}` from its journal");
            let error = Error::new(Code::Config, message)
                .with_hint("leave it out, or start a new run that reuses what this one has done");
            return Err(error.into());
        }
        let Some(request) = self.request.take() else { return Ok(self.claim().await?) };
        let prepared = request.prepare(&self.engine, self.id).await?;
        let PreparedRun { mut header, program, begin, checkpoint, cpu, wall } = prepared;
        let (limits, lines) = (header.limits.clone(), Arc::new(AtomicU64::new(0)));
        let console = Arc::new(RunConsole::new(self.id, self.events.clone(), lines.clone()));
        let instance = self.engine.instance(limits.clone(), console.clone().on_line()).await;
        let mut instance = instance.map_err(|stop| Error::from(RunError::from(stop)))?;
        instance.restore_usage(cpu, limits.cpu_time, 0);
        // Waiting for a slot is not the program's time.
        let mut stopwatch = Stopwatch::new(wall);
        stopwatch.start();
        header.created = self.engine.settings.clock.now();
        header.lock = self.tools.lock_digest();
        if header.resumed_from.is_none() {
            header.started = header.created;
        }
        let fresh = Box::new(NewRun { program, begin, limits, checkpoint, instance, console });
        let (script, started) = (header.script.clone(), header.started);
        let quota = JournalQuota { size: header.size(), limit: header.limits.journal };
        let lease = self.engine.journal.create(header).await.map_err(Error::from)?;
        let clock = RunClock::new(self.engine.settings.clock.clone(), started);
        let mut driver =
            self.driver(lease, script, RunState::Running, Meter::default(), clock, quota);
        driver.reported_lines = lines;
        driver.journal.stopwatch = stopwatch;
        Ok((driver, RunStart::New(fresh)))
    }

    /// Claims a run that the journal has.
    async fn claim(self) -> Result<(RunDriver, RunStart), Error> {
        let lease = self.engine.journal.claim(self.id).await?;
        let stored = self.engine.journal.load(self.id).await?;
        let RunHeader { script, started, limits, .. } = &stored.header;
        let quota = JournalQuota { size: stored.size(), limit: limits.journal };
        let last = stored.entries.last();
        let meter = last.map_or_else(Meter::default, |entry| entry.meter);
        let last = last.map_or(*started, |entry| entry.at);
        let mut clock = RunClock::new(self.engine.settings.clock.clone(), last);
        let at = clock.now();
        let mut driver = self.driver(lease, script.clone(), stored.state, meter, clock, quota);
        let pml = env!("CARGO_PKG_VERSION").into();
        driver.journal.add(at, JournalEvent::Resumed { pml });
        driver.journal.write(stored.state, WriteDurability::Process).await?;
        Ok((driver, RunStart::Stored(Box::new(stored))))
    }

    fn driver(
        self,
        lease: Lease,
        script: String,
        state: RunState,
        meter: Meter,
        clock: RunClock,
        quota: JournalQuota,
    ) -> RunDriver {
        let Run { engine, id, tools, events, approver, recorded, suspend, .. } = self;
        let journal = engine.journal.clone();
        let questions = QuestionWaiter::new(id, journal.clone(), approver, events.clone());
        let journal = JournalWriter::new(journal, lease, state, meter, quota);
        let router = Arc::new(Router::new(engine.policy.clone(), tools));
        let reported_lines = Arc::new(AtomicU64::new(meter.lines));
        let rebuilding = Duration::ZERO;
        RunDriver {
            engine,
            script,
            router,
            events,
            journal,
            questions,
            clock,
            reported_lines,
            recorded,
            suspend,
            rebuilding,
        }
    }
}

impl IntoFuture for Run {
    type Output = Result<Outcome, Error>;
    type IntoFuture = BoxFuture<'static, Result<Outcome, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.execute())
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("id", &self.id).finish_non_exhaustive()
    }
}
