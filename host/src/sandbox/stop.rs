//! The reasons for which a guest is stopped in the middle of a step.

use crate::model::{Code, format_span};
use std::{fmt, time::Duration};

/// How a program used its clock in the step in which it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockUse {
    /// Not at all, or as programs do.
    Ordinary,
    /// Very often: it probably waits for a time that never comes, because the clock stands still
    /// within a step.
    Watched,
}

/// The reason for which a guest was stopped in the middle of a step.
#[derive(Debug)]
pub(crate) enum StopReason {
    /// It used up its CPU time.
    CpuTime(Duration, ClockUse),
    /// It used up its memory.
    Memory(usize),
    /// It used up its stack.
    Stack,
    /// It made too many calls.
    Calls(u64),
    /// Its journal became too large.
    Journal(usize),
    /// The guest violated the contract with the host. This is never the program's fault.
    Broken(String),
}

impl StopReason {
    pub(crate) fn code(&self) -> Code {
        match self {
            StopReason::CpuTime(..) => Code::CpuTime,
            StopReason::Memory(_) => Code::Memory,
            StopReason::Stack => Code::Stack,
            StopReason::Calls(_) => Code::Calls,
            StopReason::Journal(_) => Code::JournalSize,
            StopReason::Broken(_) => Code::Internal,
        }
    }

    /// Converts wasmtime's error: a `StopReason` that we raised is returned as it is, any other
    /// error is a trap.
    pub(super) fn from_trap(error: wasmtime::Error) -> StopReason {
        if matches!(error.downcast_ref(), Some(wasmtime::Trap::StackOverflow)) {
            return StopReason::Stack;
        }
        match error.downcast::<StopReason>() {
            Ok(stop) => stop,
            Err(error) => StopReason::Broken(format!("{error:?}")),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::CpuTime(limit, _) => {
                write!(f, "the program ran for more than {} of CPU time", format_span(*limit))
            }
            StopReason::Memory(limit) => {
                write!(f, "the program needs more than {} MiB of memory", limit >> 20)
            }
            StopReason::Stack => f.write_str("the program recursed too deep"),
            StopReason::Calls(limit) => write!(f, "the program made more than {limit} calls"),
            StopReason::Journal(limit) => {
                write!(f, "the run needs more than {limit} bytes of the journal")
            }
            StopReason::Broken(what) => write!(f, "the sandbox failed: {what}"),
        }
    }
}

impl std::error::Error for StopReason {}
