//! Ends a run: writes its last entries, and makes its outcome.

use super::calls::PendingGrantWrite;
use super::{AbandonedCall, AbortedRun, Ending, Failure, Outcome, ToolFailure, Usage, failure};
use crate::error::Error;
use crate::event::Event;
use crate::model::{Decision, RecordedDecision, RunBudget};
use crate::run::live_run::{LiveRun, ProgramEnd, ProgramResult};
use crate::run::run_driver::RunDriver;
use crate::run::run_error::RunError;
use crate::sandbox::{GuestFailure, StopReason};
use crate::source::Program;
use crate::store::{JournalEvent, WriteDurability};
use serde_json::value::RawValue;

/// Parsing a program takes this many times as long as parsing JSON.
const PARSING: usize = 32;

/// The calls of a run that failed, when it is concluded.
enum ToolFailures {
    /// They were read from the journal before.
    Known(Vec<ToolFailure>),
    /// They are still to be read.
    Unread,
}

impl RunDriver {
    /// Concludes a run whose program ended by itself.
    pub(super) async fn ended(
        &mut self,
        end: ProgramEnd,
        live: &mut LiveRun,
        program: &Program,
    ) -> Result<Outcome, Error> {
        let budget = live.calls.budget().clone();
        let tool_failures = self.tool_failures(Some(live)).await?;
        let (finished, mut faults) = match end.ending {
            ProgramResult::Finished(json) => (Some(read_result(json, &budget).await?), Vec::new()),
            ProgramResult::Fault(fault) => (None, vec![fault]),
        };
        faults.extend(end.unhandled);
        let failed = tool_failures.clone();
        let mut failures = place(faults, program, failed, &budget).await?.into_iter();
        let ending = match finished {
            Some(json) => Ending::Finished(json),
            None => match failures.next() {
                Some(failure) => Ending::Failed(failure),
                None => return Err(broken("a failure has no place")),
            },
        };
        let known = ToolFailures::Known(tool_failures);
        let mut outcome = self.conclude_with(ending, Some(live), known).await?;
        outcome.unhandled = failures.collect();
        outcome.dropped_lines = end.dropped_lines;
        Ok(outcome)
    }

    /// Concludes a stopped run. A stop that is not the program's fault is an error, and leaves
    /// the run as it is.
    pub(super) async fn failed(
        &mut self,
        error: RunError,
        live: Option<&mut LiveRun>,
    ) -> Result<Outcome, Error> {
        let failure = match &error {
            RunError::Stop(StopReason::Broken(_)) | RunError::Store(_) | RunError::Suspended => {
                None
            }
            RunError::Stop(stop) => Some(failure::of_stop(stop)),
            RunError::Diverged(diverged) => diverged.failure(),
        };
        match failure {
            Some(failure) => self.conclude(Ending::Failed(failure), live).await,
            None => Err(error.into()),
        }
    }

    /// Concludes a run that a person ended.
    pub(super) async fn aborted(
        &mut self,
        ends: &RecordedDecision,
        live: Option<&mut LiveRun>,
    ) -> Result<Outcome, Error> {
        let run = self.journal.run();
        self.events.event(&Event::Decided { run, decided: ends.clone() });
        let stored = self.journal.journal().load(run).await?;
        let mut aborted = AbortedRun::of(&stored.entries);
        aborted.message = "Workflow aborted by user".into();
        (aborted.who, aborted.channel) = (ends.who.clone(), ends.channel.clone());
        aborted.replan = ends.decision == Decision::Replan;
        self.conclude(Ending::Aborted(aborted), live).await
    }

    /// Waits until the grants are written: the next run is to know them.
    async fn finish_grant_writes(&mut self, live: &mut LiveRun) {
        live.write_audit_events(&mut self.journal);
        for PendingGrantWrite { tool, constraints, written } in live.calls.take_grant_writes() {
            let error = match written.await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(error) => Some(error.to_string()),
            };
            let run = self.journal.run();
            self.events.event(&Event::GrantWritten { run, tool, constraints, error });
        }
    }

    /// Returns the outcome of a run that waits and has no approver. Its questions stay open.
    pub(super) async fn waiting(&mut self, mut live: Option<&mut LiveRun>) -> Outcome {
        if let Some(live) = live.as_deref_mut() {
            self.finish_grant_writes(live).await;
        }
        let questions = self.questions.open().to_vec();
        // A journal that cannot be read now says so when the run continues.
        let tool_failures = self.tool_failures(live.as_deref_mut()).await.unwrap_or_default();
        let mut outcome = self.outcome(Ending::Waiting(questions), live, Vec::new());
        outcome.tool_failures = tool_failures;
        outcome
    }

    /// Returns the calls of the run that failed. The journal is read only if there are any.
    async fn tool_failures(
        &mut self,
        live: Option<&mut LiveRun>,
    ) -> Result<Vec<ToolFailure>, Error> {
        if !live.is_some_and(|live| live.any_call_failed) {
            return Ok(Vec::new());
        }
        let run = self.journal.run();
        Ok(ToolFailure::all_of(&self.journal.journal().load(run).await?))
    }

    /// Concludes a run whose failed calls nobody has read yet.
    pub(super) async fn conclude(
        &mut self,
        ending: Ending,
        live: Option<&mut LiveRun>,
    ) -> Result<Outcome, Error> {
        self.conclude_with(ending, live, ToolFailures::Unread).await
    }

    /// Writes the ending of the run, before anybody sees it.
    async fn conclude_with(
        &mut self,
        mut ending: Ending,
        mut live: Option<&mut LiveRun>,
        failures: ToolFailures,
    ) -> Result<Outcome, Error> {
        let mut abandoned = Vec::new();
        if let Some(live) = live.as_deref_mut() {
            self.finish_grant_writes(live).await;
            abandoned = live.calls.abandon();
            live.measure(&mut self.journal);
            self.clock = live.clock.clone();
        }
        let at = self.clock.now();
        for AbandonedCall { call, sent, .. } in &abandoned {
            self.journal.add(at, JournalEvent::Abandoned { call: *call, sent: *sent });
        }
        // The journal has the refusals already.
        if let (Ending::Finished(_), Some(live)) = (&ending, live.as_deref_mut()) {
            abandoned.extend(live.calls.take_unseen_refusals());
        }
        let result = ending.json().map_or(0, str::len);
        if let Err(stop) = self.journal.check_room(result) {
            // A failure takes little room.
            if matches!(ending, Ending::Finished(_)) {
                ending = Ending::Failed(failure::of_stop(&stop));
            }
        }
        self.journal.add(at, JournalEvent::Ended { ending: ending.write()? });
        self.journal.write(ending.state(), WriteDurability::Process).await?;
        self.events.event(&Event::Ended { run: self.journal.run(), at });
        let tool_failures = match failures {
            ToolFailures::Known(known) => known,
            ToolFailures::Unread => self.tool_failures(live.as_deref_mut()).await?,
        };
        let mut outcome = self.outcome(ending, live, abandoned);
        outcome.tool_failures = tool_failures;
        Ok(outcome)
    }

    fn outcome(
        &mut self,
        ending: Ending,
        live: Option<&mut LiveRun>,
        abandoned: Vec<AbandonedCall>,
    ) -> Outcome {
        let mut outcome = Outcome::new(self.journal.run(), ending);
        outcome.abandoned = abandoned;
        let meter = self.journal.meter();
        outcome.usage = Usage {
            cpu_time: meter.cpu,
            wall_time: self.journal.stopwatch.elapsed(),
            calls: meter.calls,
            ..Usage::default()
        };
        if let Some(live) = live {
            outcome.console = live.console.take();
            outcome.unmatched = live.calls.unmatched();
            outcome.usage.memory = live.instance.memory();
            outcome.usage.slices = live.instance.slices();
            outcome.recording = live.recording.take();
        }
        outcome
    }
}

/// Reads the result of a program, which the guest wrote as JSON.
async fn read_result(
    json: Option<String>,
    budget: &RunBudget,
) -> Result<Option<Box<RawValue>>, Error> {
    let Some(json) = json else { return Ok(None) };
    let read = budget.work(json.len(), move |work| {
        let _slice = work.begin();
        RawValue::from_string(json)
    });
    let read = read.await.map_err(|halt| broken(format!("{halt:?}")))?;
    read.map(Some).map_err(|error| broken(error.to_string()))
}

/// Maps guest failures to positions in the program's source. The source is parsed for each.
async fn place(
    faults: Vec<GuestFailure>,
    program: &Program,
    failed: Vec<ToolFailure>,
    budget: &RunBudget,
) -> Result<Vec<Failure>, Error> {
    if faults.is_empty() {
        return Ok(Vec::new());
    }
    let source: usize = program.modules.iter().map(|module| module.code.len()).sum();
    let (cost, program) = (source.saturating_mul(PARSING), program.clone());
    let placing = budget.work(cost.saturating_mul(faults.len()), move |work| {
        let slice = work.begin();
        let place = |fault| failure::of_fault(&program, fault, &failed, &slice);
        faults.into_iter().map(place).collect()
    });
    placing.await.map_err(|halt| broken(format!("{halt:?}")))
}

fn broken(reason: impl Into<String>) -> Error {
    RunError::Stop(StopReason::Broken(reason.into())).into()
}
