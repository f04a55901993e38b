//! Replay: a run, run again with nothing but what was recorded or journalled.
//!
//! [`Engine::replay`](crate::Engine::replay) runs a [`Recording`] again and reports where it
//! differs.

pub use crate::run::{RecordedStep, Recording, ReplayReport, StepDivergence};
pub use crate::sandbox::{
    GUEST_DIGEST, GuestFailure, GuestFailureKind, GuestModule, Intent, ProgramState, Step,
};
