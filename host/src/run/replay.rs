//! A recorded run, run again with nothing but what was recorded.

use super::{Engine, Recording};
use crate::error::Error;
use crate::model::Code;
use crate::sandbox::{Instance, Step, Stop};

/// The first step that came out differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Divergence {
    /// Which step, counting from 0.
    pub step: usize,
    /// What was recorded.
    pub expected: Step,
    /// What came out.
    pub found: Step,
}

pub(super) async fn replay(
    engine: &Engine,
    recording: &Recording,
) -> Result<Option<Divergence>, Error> {
    let limits = recording.limits.clone();
    let mut instance =
        Instance::new(engine.machine.clone(), limits, Box::new(|_| {})).await.map_err(broken)?;
    for (index, turn) in recording.turns.iter().enumerate() {
        let found = match &turn.settled {
            None => instance.start(recording.begin(), turn.now).await,
            Some((id, settled)) => instance.resume(*id, settled.clone(), turn.now).await,
        };
        let found = found.map_err(broken)?;
        if found != turn.step {
            return Ok(Some(Divergence { step: index, expected: turn.step.clone(), found }));
        }
        // What the run held back while a call was out, it gave back by now: sizes were checked when it was recorded.
        instance.release(usize::MAX);
    }
    Ok(None)
}

fn broken(stop: Stop) -> Error {
    Error::new(Code::Internal, "the recording does not run again").with_source(stop)
}
