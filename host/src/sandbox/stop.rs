//! Why a guest is stopped in the middle of a step.

use crate::model::{Code, span};
use std::{fmt, time::Duration};

/// Why a guest was stopped in the middle of a step.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Out of CPU time.
    CpuTime(Duration),
    /// Out of memory.
    Memory(usize),
    /// Out of stack.
    Stack,
    /// Out of calls.
    Calls(u64),
    /// Out of room in the journal.
    Journal(usize),
    /// The guest broke the rules of its world: never the program's fault.
    Broken(String),
}

impl Stop {
    pub(crate) fn code(&self) -> Code {
        match self {
            Stop::CpuTime(_) => Code::CpuTime,
            Stop::Memory(_) => Code::Memory,
            Stop::Stack => Code::Stack,
            Stop::Calls(_) => Code::Calls,
            Stop::Journal(_) => Code::JournalSize,
            Stop::Broken(_) => Code::Internal,
        }
    }

    /// Reads wasmtime's error: our own limits come back as they were raised, the rest are traps.
    pub(super) fn from_trap(error: wasmtime::Error) -> Stop {
        if matches!(error.downcast_ref(), Some(wasmtime::Trap::StackOverflow)) {
            return Stop::Stack;
        }
        match error.downcast::<Stop>() {
            Ok(stop) => stop,
            Err(error) => Stop::Broken(format!("{error:?}")),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::CpuTime(limit) => {
                write!(f, "the program ran for more than {} of CPU time", span(*limit))
            }
            Stop::Memory(limit) => {
                write!(f, "the program needs more than {} MiB of memory", limit >> 20)
            }
            Stop::Stack => f.write_str("the program recursed too deep"),
            Stop::Calls(limit) => write!(f, "the program made more than {limit} calls"),
            Stop::Journal(limit) => {
                write!(f, "the run needs more than {limit} bytes of the journal")
            }
            Stop::Broken(what) => write!(f, "the sandbox failed: {what}"),
        }
    }
}

impl std::error::Error for Stop {}
