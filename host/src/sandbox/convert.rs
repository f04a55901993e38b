//! Generated types to our own and back; nowhere else do they meet.

use super::bindings::exports::pml::sandbox::program as wit;
use super::bindings::pml::sandbox::mcp_call;
use super::{Fault, FaultKind, Module, State};
use crate::model::{Level, Line, Settled};

pub(super) fn module(module: Module) -> wit::Module {
    wit::Module {
        name: module.name,
        code: module.code,
        first_line: module.first_line,
        imports: module.imports,
    }
}

pub(super) fn outcome(settled: Settled) -> wit::Outcome {
    match settled {
        Settled::Value(json) => wit::Outcome::Value(json),
        Settled::Error { code, message, data } => {
            wit::Outcome::Error(wit::CallError { code, message, data })
        }
    }
}

pub(super) fn line(level: mcp_call::Level, text: String) -> Line {
    let level = match level {
        mcp_call::Level::Debug => Level::Debug,
        mcp_call::Level::Log => Level::Log,
        mcp_call::Level::Warn => Level::Warn,
        mcp_call::Level::Error => Level::Error,
    };
    Line { level, text }
}

pub(super) fn state(state: wit::State) -> State {
    match state {
        wit::State::Waiting => State::Waiting,
        wit::State::Finished(json) => State::Finished(json),
        wit::State::Failed(failure) => State::Failed(fault(failure)),
    }
}

pub(super) fn fault(failure: wit::Failure) -> Fault {
    let kind = match failure.kind {
        wit::FailureKind::Threw => FaultKind::Threw,
        wit::FailureKind::Syntax => FaultKind::Syntax,
        wit::FailureKind::Stack => FaultKind::Stack,
        wit::FailureKind::NotJson => FaultKind::NotJson,
        wit::FailureKind::ResultSize => FaultKind::ResultSize,
        wit::FailureKind::Stalled => FaultKind::Stalled,
    };
    Fault {
        kind,
        name: failure.name,
        message: failure.message,
        stack: failure.stack,
        code: failure.code,
        causes: failure.causes,
    }
}
