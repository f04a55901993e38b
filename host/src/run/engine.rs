//! The engine: one for a process, cheap to clone.

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
    pub(super) machine: Arc<WasmEngine>,
    pub(super) policy: Arc<Policy>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) parking: Arc<WaitingRuns>,
}

impl Engine {
    /// Makes an engine that journals in memory: runs can wait and be resumed, and are forgotten
    /// with the process. All settings are checked here, once.
    ///
    /// # Errors
    /// If a setting is out of its range, or the machine cannot run the guest: its CPU is too old,
    /// or it does not let a process reserve enough addresses.
    pub fn new(config: &Config) -> Result<Engine, Error> {
        Engine::with_journal(config, Arc::new(MemoryJournal::new()))
    }

    /// Makes an engine whose runs survive it: `journal` keeps them, as a [`Store`](crate::Store)
    /// does in a file.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_journal(config: &Config, journal: Arc<dyn Journal>) -> Result<Engine, Error> {
        let settings = EngineSettings::try_from(config)?;
        let machine = WasmEngine::new(settings.runs).map_err(|error| {
            Error::new(Code::Internal, "cannot start the sandbox on this machine")
                .with_source(error.into_boxed_dyn_error())
                .with_hint("if addresses are limited (`ulimit -v`), lift the limit or lower `Config::runs`")
        })?;
        debug!(target: "pml::run", slots = settings.runs, "engine started");
        Ok(Engine {
            machine: Arc::new(machine),
            policy: Arc::new(Policy::from(&settings)),
            parking: Arc::new(WaitingRuns::new(settings.waiting_memory)),
            settings: Arc::new(settings),
            journal,
        })
    }

    /// Makes a fresh guest. If there is no slot for it, the run that has waited longest for people
    /// gives up its own.
    pub(super) async fn instance(
        &self,
        limits: Limits,
        on_line: Box<dyn FnMut(&ConsoleLine) + Send>,
    ) -> Result<Instance, StopReason> {
        let slot = match self.machine.try_slot() {
            Some(slot) => slot,
            None => {
                let _queued = self.parking.queue();
                self.machine.slot().await?
            }
        };
        Instance::new(self.machine.clone(), slot, limits, on_line).await
    }

    /// Returns a run of `script`, which starts when it is awaited.
    pub fn run(&self, script: Script) -> Run {
        Run::of_script(self.clone(), script)
    }

    /// Returns a run of one call, whose result is the call's: under the same policy and journal as
    /// any other.
    pub fn call(&self, tool: &ToolName, arguments: Value) -> Run {
        // The call is data, so that no name or argument can be code.
        let program = "return await mcp.call(inputs.tool, inputs.arguments)";
        let script = Script::ts(program).named(format!("{tool}.ts"));
        self.run(script).inputs(json!({ "tool": tool, "arguments": arguments }))
    }

    /// Returns a run that goes on where it was cut off or left to wait, in whatever process: it
    /// starts when it is awaited. Nothing that has an outcome is called again. Its inputs, seed and
    /// limits are those it began with.
    pub fn resume(&self, run: RunId) -> Run {
        Run::of_journal(self.clone(), run)
    }

    /// Records an answer to a question. Whoever has the run goes on with it; if nobody does,
    /// [`Engine::resume`] does.
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

    /// Ends a run that nobody has, as aborted: nobody goes on with it, and what it has done can be
    /// taken up by another.
    ///
    /// # Errors
    /// If there is no such run, somebody has it, or the journal fails. A run that is over already
    /// stays as it is.
    pub async fn abort(
        &self,
        run: RunId,
        message: impl Into<String>,
        who: &str,
        channel: &str,
    ) -> Result<(), Error> {
        abort::end(self, run, message.into(), who, channel).await.map(drop)
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Runs a journalled program again, with nothing but its journal, and compares every call it
    /// makes. Nothing is called, and nothing is written.
    ///
    /// # Errors
    /// If there is no such run, or the sandbox fails. A call that differs is not an error:
    /// [`ReplayReport`] says so.
    pub async fn replay_run(&self, run: RunId) -> Result<ReplayReport, Error> {
        replay::replay_run(self, run).await
    }

    /// Runs a recorded program again, with nothing but what was recorded, and compares every step.
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
