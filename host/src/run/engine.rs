//! The engine. One serves a process; it is cheap to clone.

use super::{Recording, ReplayReport, Run, StepDivergence, replay};
use crate::config::{Config, EngineSettings};
use crate::error::Error;
use crate::model::{Answer, Code, ConsoleLine, Limits, QuestionId, RunId, ToolName};
use crate::router::Policy;
use crate::run::abort;
use crate::run::waiting_runs::WaitingRuns;
use crate::sandbox::{Instance, StopReason, WasmEngine};
use crate::source::Script;
use crate::store::{AnswerOutcome, Journal, MemoryJournal};
use serde_json::{Value, json};
use std::{fmt, sync::Arc};
use tracing::debug;

/// Runs programs. Clones share everything; a process needs only one.
#[derive(Clone)]
pub struct Engine {
    pub(super) settings: Arc<EngineSettings>,
    pub(super) wasm: Arc<WasmEngine>,
    pub(super) policy: Arc<Policy>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) waiting_runs: Arc<WaitingRuns>,
}

impl Engine {
    /// Returns an engine with a journal in memory: runs can wait and be resumed, until the process
    /// ends. All settings are checked here, once.
    ///
    /// # Errors
    /// If a setting is out of its range, or the machine cannot run the guest: its CPU is too old,
    /// or it does not let a process reserve enough addresses.
    pub fn new(config: &Config) -> Result<Engine, Error> {
        Engine::with_journal(config, Arc::new(MemoryJournal::new()))
    }

    /// Returns an engine with a journal of its own, such as a [`Store`](crate::Store) in a file. Its
    /// runs survive the process.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_journal(config: &Config, journal: Arc<dyn Journal>) -> Result<Engine, Error> {
        let settings = EngineSettings::try_from(config)?;
        let wasm = WasmEngine::new(settings.runs).map_err(|error| {
            Error::new(Code::Internal, "cannot start the sandbox on this machine")
                .with_source(error.into_boxed_dyn_error())
                .with_hint("if addresses are limited (`ulimit -v`), lift the limit or lower `Config::runs`")
        })?;
        debug!(target: "pml::run", slots = settings.runs, "engine started");
        Ok(Engine {
            wasm: Arc::new(wasm),
            policy: Arc::new(Policy::from(&settings)),
            waiting_runs: Arc::new(WaitingRuns::new(settings.waiting_memory)),
            settings: Arc::new(settings),
            journal,
        })
    }

    /// Starts a guest. If there is no slot, the run that has waited longest for people is evicted.
    pub(super) async fn instance(
        &self,
        limits: Limits,
        on_line: Box<dyn FnMut(&ConsoleLine) + Send>,
    ) -> Result<Instance, StopReason> {
        let slot = match self.wasm.try_slot() {
            Some(slot) => slot,
            None => {
                let _queued = self.waiting_runs.request_slot();
                self.wasm.slot().await?
            }
        };
        Instance::new(self.wasm.clone(), slot, limits, on_line).await
    }

    /// Returns a run of `script`, which starts when it is awaited.
    pub fn run(&self, script: Script) -> Run {
        Run::of_script(self.clone(), script)
    }

    /// Returns a run of one call, with the call's result. Policy and journal are those of any run.
    pub fn call(&self, tool: &ToolName, arguments: Value) -> Run {
        // The call is data, so that no name or argument can be code.
        let program = "return await mcp.call(inputs.tool, inputs.arguments)";
        let script = Script::ts(program).named(format!("{tool}.ts")).generated();
        self.run(script).inputs(json!({ "tool": tool, "arguments": arguments }))
    }

    /// Returns a run that continues where it stopped or waits, in any process. It starts
    /// when it is awaited. A call that has an outcome is not sent again. Inputs, seed and limits are
    /// those that it was started with.
    pub fn resume(&self, run: RunId) -> Run {
        Run::of_journal(self.clone(), run)
    }

    /// Records an answer to a question. The process that owns the run continues it; if none does,
    /// [`Engine::resume`] can.
    ///
    /// # Errors
    /// If the journal fails. An answer that comes too late is not an error:
    /// [`AnswerOutcome`](crate::journal::AnswerOutcome) says so.
    pub async fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
    ) -> Result<AnswerOutcome, Error> {
        Ok(self.journal.answer(question, answer, self.settings.clock.now()).await?)
    }

    /// Ends a run that no process has, as aborted. It cannot be resumed; another run can resume from
    /// its checkpoint.
    ///
    /// # Errors
    /// If there is no such run, a process has it, or the journal fails. A run that has ended stays as
    /// it is.
    pub async fn abort(
        &self,
        run: RunId,
        message: impl Into<String>,
        who: &str,
        channel: &str,
    ) -> Result<(), Error> {
        abort::end(self, run, message.into(), who, channel).await.map(drop)
    }

    /// Returns the policy that calls are decided by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Replays a run from its journal, and compares every call. No call is sent, and nothing is
    /// written.
    ///
    /// # Errors
    /// If there is no such run, or the sandbox fails. A call that differs is not an error:
    /// [`ReplayReport`] says so.
    pub async fn replay_run(&self, run: RunId) -> Result<ReplayReport, Error> {
        replay::replay_run(self, run).await
    }

    /// Replays a recording, and compares every step.
    ///
    /// # Errors
    /// If the sandbox fails. A step that differs is not an error but a
    /// [`StepDivergence`](crate::replay::StepDivergence).
    pub async fn replay(&self, recording: &Recording) -> Result<Option<StepDivergence>, Error> {
        replay::replay(self, recording).await
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("limits", &self.settings.limits).finish_non_exhaustive()
    }
}
