//! What was told of a new run, made into what it starts with.

use super::checkpoint::Checkpoint;
use super::perform::write_aside;
use super::{Ending, Engine, Failure, Outcome, failure};
use crate::error::Error;
use crate::model::{
    Code, CpuUse, HaltReason, HostWork, Limits, RunBudget, RunId, Tenant, WriteError, span,
};
use crate::run::abort::end;
use crate::run::run_driver::modules;
use crate::sandbox::{GUEST_DIGEST, StartParameters, StopReason};
use crate::source::{Program, Script, SourceError};
use crate::store::{FORMAT, RunHeader, StoredRun, Timeline};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Sources up to this size are parsed where they are; a larger one could hold up other runs for
/// longer than a time slice or two, and gets a thread.
const PARSE_INLINE: usize = 4 << 10;

/// The price of a byte of those: parsing takes between a tenth and a third of a microsecond.
const PRICE: Duration = Duration::from_nanos(200);

/// What was told of a new run.
pub(super) struct RunRequest {
    pub(super) script: Script,
    pub(super) inputs: Option<Value>,
    pub(super) seed: Option<[u8; 32]>,
    pub(super) resume_from: Option<RunId>,
    pub(super) tenant: Tenant,
    pub(super) trace: Option<String>,
}

/// What a new run is given.
struct LoadedProgram {
    program: Program,
    /// The program as JSON.
    text: String,
    /// The inputs as JSON.
    given: Option<String>,
}

/// A new run that is ready for a slot.
pub(super) struct PreparedRun {
    /// Its clock readings are to be brought up to date when it starts.
    pub(super) header: RunHeader,
    pub(super) program: Program,
    pub(super) begin: StartParameters,
    pub(super) checkpoint: Option<Checkpoint>,
    /// What it took of the run's CPU time, and of its timeout.
    pub(super) cpu: Duration,
    pub(super) wall: Duration,
}

impl RunRequest {
    pub(super) fn new(script: Script) -> RunRequest {
        RunRequest {
            script,
            inputs: None,
            seed: None,
            resume_from: None,
            tenant: Tenant::default(),
            trace: None,
        }
    }

    /// Loads the program and checks what it is given. A script that cannot run is an outcome
    /// already.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) async fn prepare(
        mut self,
        engine: &Engine,
        run: RunId,
    ) -> Result<Result<PreparedRun, Box<Outcome>>, Error> {
        let limits = engine.settings.limits.clone();
        let refused = |failure| Ok(Err(Box::new(Outcome::new(run, Ending::Failed(failure)))));
        let (used, began) = (CpuUse::default(), Instant::now());
        let budget = RunBudget::new(&limits, used.clone());
        // A thread that parses cannot be stopped; nobody waits for it.
        let read = match timeout(limits.timeout, self.read(&limits, &budget)).await {
            Ok(read) => read?,
            Err(_) => {
                let message = format!("the run took longer than {}", span(limits.timeout));
                Err(failure::plain(Code::Timeout, message))
            }
        };
        let LoadedProgram { program, text, given } = match read {
            Ok(read) => read,
            Err(failure) => return refused(failure),
        };
        if budget.is_spent() {
            return refused(failure::of_stop(&StopReason::CpuTime(limits.cpu_time)));
        }
        let (cpu, wall) = (used.get(), began.elapsed());
        let earlier = match self.resume_from {
            Some(from) => {
                let message = format!("taken up by run {run}");
                Some(end(engine, from, message, "pml", "resume").await?)
            }
            None => None,
        };
        let earlier_header = earlier.as_ref().map(|stored| &stored.header);
        let inputs = given.or_else(|| earlier_header.map(|header| header.inputs.clone()));
        let inputs = inputs.unwrap_or_else(|| "{}".into());
        let seed = match self.seed.or(earlier_header.map(|header| header.seed)) {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        let now = engine.settings.clock.now();
        let started = earlier_header.map(|header| header.started);
        let checkpoint = match earlier {
            Some(stored) => Some(take_up(stored).await?),
            None => None,
        };
        let (checkpoint, kept) = checkpoint.unzip();
        let header = RunHeader {
            run,
            format: FORMAT,
            pml: env!("CARGO_PKG_VERSION").into(),
            guest: GUEST_DIGEST.into(),
            script: program.modules.first().map_or_else(String::new, |entry| entry.name.clone()),
            program: text,
            inputs: inputs.clone(),
            seed,
            created: now,
            started: started.unwrap_or(now),
            limits: limits.clone(),
            resumed_from: self.resume_from,
            checkpoint: kept,
            lock: None,
            trace: self.trace.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string()),
            tenant: self.tenant,
        };
        if header.size() > limits.journal {
            return refused(failure::of_stop(&StopReason::Journal(limits.journal)));
        }
        let begin = StartParameters { modules: modules(&program), inputs, seed };
        Ok(Ok(PreparedRun { header, program, begin, checkpoint, cpu, wall }))
    }

    /// Reads what the run is given: its program and its inputs.
    async fn read(
        &mut self,
        limits: &Limits,
        budget: &RunBudget,
    ) -> Result<Result<LoadedProgram, Failure>, Error> {
        let (program, text) = match self.load(limits.source, budget).await? {
            Ok(loaded) => loaded,
            Err(error) => return failure::of_source(&error).map(Err),
        };
        let given = match self.inputs.take() {
            None => None,
            Some(inputs) => match write_aside(inputs, limits.inputs, budget).await {
                Ok(text) => Some(text),
                Err(WriteError::TooLarge(limit)) => {
                    let message = format!("the inputs are more than {limit} bytes of JSON");
                    return Ok(Err(failure::plain(Code::InputSize, message)));
                }
                Err(WriteError::Halted(HaltReason::CpuTime)) => {
                    return Ok(Err(failure::of_stop(&StopReason::CpuTime(limits.cpu_time))));
                }
                Err(WriteError::Halted(halt)) => {
                    let message = format!("the inputs cannot be written: {halt:?}");
                    return Err(Error::new(Code::Internal, message));
                }
            },
        };
        Ok(Ok(LoadedProgram { program, text, given }))
    }

    /// Loads the program. Returns it with its own JSON.
    async fn load(
        &self,
        limit: usize,
        budget: &RunBudget,
    ) -> Result<Result<(Program, String), SourceError>, Error> {
        let internal =
            |message: &str, reason: String| Error::new(Code::Internal, message).with_source(reason);
        let script = self.script.clone();
        let load = move |work: &HostWork<'_>| {
            let program = script.load_for(limit, work)?;
            let text = serde_json::to_string(&program);
            Ok(text.map(|text| (program, text)))
        };
        let loaded = match self.script.length().filter(|length| *length <= PARSE_INLINE) {
            Some(length) => {
                budget.charge(PRICE * u32::try_from(length).unwrap_or(u32::MAX));
                budget.work_here(0, load)
            }
            None => {
                let loaded = budget.work(usize::MAX, load).await;
                loaded.map_err(|halt| internal("the parser failed", format!("{halt:?}")))?
            }
        };
        match loaded {
            Ok(Ok(loaded)) => Ok(Ok(loaded)),
            Ok(Err(error)) => Err(internal("the program cannot be written", error.to_string())),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// Reads what an earlier run has done. Nobody is charged for it, as for every run that is rebuilt.
async fn take_up(stored: StoredRun) -> Result<(Checkpoint, String), Error> {
    let nobody = RunBudget::of_nobody();
    let read = nobody.work(stored.size(), move |_| {
        let history = Timeline::of(&stored.entries);
        Checkpoint::of(&stored.header, &history).map_err(|error| error.to_string())
    });
    let read = read.await.unwrap_or_else(|halt| Err(format!("{halt:?}")));
    read.map_err(|error| {
        Error::new(Code::Journal, "the earlier run's checkpoint cannot be read").with_source(error)
    })
}

fn fresh_seed() -> Result<[u8; 32], Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| {
        Error::new(Code::Internal, "the OS gives no random numbers").with_source(error)
    })?;
    Ok(seed)
}
