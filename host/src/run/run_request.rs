//! Prepares a new run: loads its program, checks its inputs, writes its header.

use super::checkpoint::Checkpoint;
use super::perform::write_aside;
use super::{Engine, Failure, failure};
use crate::error::Error;
use crate::model::{
    Code, CpuUse, HaltReason, HostWork, Limits, RunBudget, RunId, Tenant, WriteError, format_span,
};
use crate::run::abort::end;
use crate::run::run_driver::modules;
use crate::sandbox::{ClockUse, GUEST_DIGEST, StartParameters, StopReason};
use crate::source::{Program, Script, SourceError};
use crate::store::{FORMAT, RunHeader, StoredRun, Timeline};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Sources up to this size are parsed on the caller's thread. A larger one gets a thread of its own:
/// it could hold up other runs for longer than a time slice or two.
const PARSE_INLINE: usize = 4 << 10;

/// The CPU time that is charged for a byte of source: parsing takes between a tenth and a third of a
/// microsecond.
const PRICE: Duration = Duration::from_nanos(200);

/// The options of a new run.
pub(super) struct RunRequest {
    pub(super) script: Script,
    pub(super) inputs: Option<Value>,
    pub(super) seed: Option<[u8; 32]>,
    pub(super) resume_from: Option<RunId>,
    pub(super) tenant: Tenant,
    pub(super) trace: Option<String>,
}

/// The program and the inputs of a new run.
struct LoadedProgram {
    program: Program,
    /// The program as JSON.
    text: String,
    /// The inputs as JSON, if there are any.
    inputs: Option<String>,
}

/// The reason why a new run does not start.
pub(super) enum StartError {
    /// The program or its inputs cannot run. The run has an outcome.
    Refused(Box<Failure>),
    /// The request is wrong, or pml failed. There is no run.
    Failed(Error),
}

impl From<Error> for StartError {
    fn from(error: Error) -> StartError {
        StartError::Failed(error)
    }
}

impl From<Failure> for StartError {
    fn from(failure: Failure) -> StartError {
        StartError::Refused(Box::new(failure))
    }
}

/// A new run that is ready for a slot.
pub(super) struct PreparedRun {
    /// Its clock readings and its lock are set when the run starts.
    pub(super) header: RunHeader,
    pub(super) program: Program,
    pub(super) begin: StartParameters,
    pub(super) checkpoint: Option<Checkpoint>,
    /// The CPU time that preparing took.
    pub(super) cpu: Duration,
    /// The time of the run's timeout that preparing took.
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

    /// Loads the program and checks its inputs.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) async fn prepare(
        mut self,
        engine: &Engine,
        run: RunId,
    ) -> Result<PreparedRun, StartError> {
        let limits = engine.settings.limits.clone();
        let (used, began) = (CpuUse::default(), Instant::now());
        let budget = RunBudget::new(&limits, used.clone());
        // A thread that parses cannot be stopped; nobody waits for it.
        let loaded = timeout(limits.timeout, self.load(&limits, &budget)).await;
        let LoadedProgram { program, text, inputs } = loaded.map_err(|_| {
            let message = format!("the run took longer than {}", format_span(limits.timeout));
            failure::plain(Code::Timeout, message)
        })??;
        if budget.is_spent() {
            return Err(failure::of_stop(&StopReason::CpuTime(
                limits.cpu_time,
                ClockUse::Ordinary,
            ))
            .into());
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
        let inputs = inputs.or_else(|| earlier_header.map(|header| header.inputs.clone()));
        let inputs = inputs.unwrap_or_else(|| "{}".into());
        let seed = match self.seed.or(earlier_header.map(|header| header.seed)) {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        let now = engine.settings.clock.now();
        let started = earlier_header.map(|header| header.started);
        let checkpoint = match earlier {
            Some(stored) => Some(read_checkpoint(stored).await?),
            None => None,
        };
        let (checkpoint, checkpoint_text) = checkpoint.unzip();
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
            checkpoint: checkpoint_text,
            lock: None,
            trace: self.trace.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string()),
            tenant: self.tenant,
        };
        if header.size() > limits.journal {
            return Err(failure::of_stop(&StopReason::Journal(limits.journal)).into());
        }
        let begin = StartParameters { modules: modules(&program), inputs, seed };
        Ok(PreparedRun { header, program, begin, checkpoint, cpu, wall })
    }

    /// Loads the program, and writes its inputs.
    async fn load(
        &mut self,
        limits: &Limits,
        budget: &RunBudget,
    ) -> Result<LoadedProgram, StartError> {
        let (program, text) = self.load_program(limits.source, budget).await?;
        let inputs = match self.inputs.take() {
            None => None,
            Some(inputs) => match write_aside(inputs, limits.inputs, budget).await {
                Ok(text) => Some(text),
                Err(WriteError::TooLarge(limit)) => {
                    let message = format!("the inputs are more than {limit} bytes of JSON");
                    return Err(failure::plain(Code::InputSize, message).into());
                }
                Err(WriteError::Halted(HaltReason::CpuTime)) => {
                    return Err(failure::of_stop(&StopReason::CpuTime(
                        limits.cpu_time,
                        ClockUse::Ordinary,
                    ))
                    .into());
                }
                Err(WriteError::Halted(halt)) => {
                    let message = format!("the inputs cannot be written: {halt:?}");
                    return Err(Error::new(Code::Internal, message).into());
                }
            },
        };
        Ok(LoadedProgram { program, text, inputs })
    }

    /// Loads the program. Returns it with its JSON text.
    async fn load_program(
        &self,
        limit: usize,
        budget: &RunBudget,
    ) -> Result<(Program, String), StartError> {
        let internal =
            |message: &str, reason: String| Error::new(Code::Internal, message).with_source(reason);
        let script = self.script.clone();
        let load = move |work: &HostWork<'_>| {
            let program = script.load_for(limit, work)?;
            let text = serde_json::to_string(&program);
            Ok((program, text))
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
        let (program, text) = loaded.map_err(|error: SourceError| failure::of_source(&error))?;
        let text =
            text.map_err(|error| internal("the program cannot be written", error.to_string()))?;
        Ok((program, text))
    }
}

/// Reads the checkpoint of an earlier run. No budget is charged for it, as for a run that is
/// rebuilt.
async fn read_checkpoint(stored: StoredRun) -> Result<(Checkpoint, String), Error> {
    let budget = RunBudget::without_run();
    let read = budget.work(stored.size(), move |_| {
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
