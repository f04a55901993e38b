//! A recording of a run: all its inputs, and every step.

use crate::model::{CallId, CallResult, Limits, Timestamp};
use crate::sandbox::{GuestModule, StartParameters, Step};
use serde::{Deserialize, Serialize};

/// A run that can be replayed exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recording {
    /// sha256 of the guest that ran it.
    pub guest: String,
    /// The JavaScript of all modules, as executed.
    pub modules: Vec<GuestModule>,
    /// The inputs: one JSON text.
    pub inputs: String,
    /// The seed.
    pub seed: [u8; 32],
    /// The limits.
    pub limits: Limits,
    /// The steps with their inputs, in order.
    pub turns: Vec<RecordedStep>,
}

/// One step with its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedStep {
    /// The clock reading of the step.
    pub now: Timestamp,
    /// The outcome that the program got, or `None` for the first step.
    pub settled: Option<(CallId, CallResult)>,
    /// The step.
    pub step: Step,
}

impl Recording {
    pub(super) fn new(begin: &StartParameters, limits: &Limits) -> Recording {
        Recording {
            guest: crate::sandbox::GUEST_DIGEST.into(),
            modules: begin.modules.clone(),
            inputs: begin.inputs.clone(),
            seed: begin.seed,
            limits: limits.clone(),
            turns: Vec::new(),
        }
    }

    pub(super) fn push(
        &mut self,
        now: Timestamp,
        settled: Option<(CallId, CallResult)>,
        step: &Step,
    ) {
        self.turns.push(RecordedStep { now, settled, step: step.clone() });
    }

    pub(super) fn begin(&self) -> StartParameters {
        StartParameters {
            modules: self.modules.clone(),
            inputs: self.inputs.clone(),
            seed: self.seed,
        }
    }
}
