//! Replays a run from its recording or its journal.

use super::{Ending, Engine, JournalDivergence, Recording, rebuild};
use crate::error::Error;
use crate::model::{Code, RunId};
use crate::run::run_driver;
use crate::run::run_error::RunError;
use crate::sandbox::{GUEST_DIGEST, ProgramState, Step, StopReason};
use crate::store::{RunState, Timeline};
use serde::Serialize;

/// The first step of a replay that differs from the recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepDivergence {
    /// The index of the step, from 0.
    pub step: usize,
    /// The step in the recording.
    pub expected: Step,
    /// The step of the replay.
    pub found: Step,
}

pub(super) async fn replay(
    engine: &Engine,
    recording: &Recording,
) -> Result<Option<StepDivergence>, Error> {
    let limits = recording.limits.clone();
    let mut instance = engine.instance(limits, Box::new(|_| {})).await.map_err(broken)?;
    for (index, turn) in recording.turns.iter().enumerate() {
        let found = match &turn.settled {
            None => instance.start(recording.begin(), turn.now).await,
            Some((id, settled)) => instance.resume(*id, settled.clone(), turn.now).await,
        };
        let found = found.map_err(broken)?;
        if found != turn.step {
            return Ok(Some(StepDivergence { step: index, expected: turn.step.clone(), found }));
        }
        // Sizes of arguments were checked when the program was recorded.
        instance.release_arguments(usize::MAX);
    }
    Ok(None)
}

fn broken(stop: StopReason) -> Error {
    Error::new(Code::Internal, "the recording cannot be run again").with_source(stop)
}

/// The result of replaying a run from its journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayReport {
    /// The number of steps.
    pub steps: usize,
    /// The number of calls in the journal.
    pub calls: usize,
    /// The first divergence, or `None` if the program did the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diverged: Option<JournalDivergence>,
}

pub(super) async fn replay_run(engine: &Engine, run: RunId) -> Result<ReplayReport, Error> {
    let stored = engine.journal.load(run).await?;
    let ending = stored.ending_text().and_then(|text| Ending::read(text).ok());
    let header = stored.header;
    let history = Timeline::of(&stored.entries);
    let mut limits = header.limits.clone();
    limits.cpu_time = rebuild::allowance(limits.cpu_time);
    let instance = engine.instance(limits, Box::new(|_| {})).await;
    let mut instance = instance.map_err(|stop| Error::from(RunError::from(stop)))?;
    let program = run_driver::program(&header)?;
    let replayed = rebuild::replay(&mut instance, &header, &program, &history, |_, _, _| {}).await;
    let calls = history.calls.len();
    match replayed {
        Ok(replayed) => {
            let diverged = result(stored.state, ending.as_ref(), &replayed.last.state);
            let guest_changed = header.guest != GUEST_DIGEST;
            let diverged = diverged.map(|diverged| JournalDivergence { guest_changed, ..diverged });
            Ok(ReplayReport { steps: replayed.steps, calls, diverged })
        }
        Err(RunError::Diverged(diverged)) => {
            Ok(ReplayReport { steps: 0, calls, diverged: Some(diverged) })
        }
        Err(error) => Err(error.into()),
    }
}

/// Compares the result of a run that finished.
fn result(
    state: RunState,
    ending: Option<&Ending>,
    found: &ProgramState,
) -> Option<JournalDivergence> {
    if state != RunState::Finished {
        return None;
    }
    // A journal does not tell a missing result from the result `null`.
    let result = match found {
        ProgramState::Finished(json) => json.as_deref().unwrap_or("null"),
        _ => "",
    };
    let same = match ending {
        Some(ending @ Ending::Finished(_)) => ending.json().unwrap_or("null") == result,
        _ => false,
    };
    let diverged = || JournalDivergence {
        call: None,
        expected: "its result".into(),
        found: if result.is_empty() { "no result" } else { "another result" }.into(),
        guest_changed: false,
    };
    (!same).then(diverged)
}
