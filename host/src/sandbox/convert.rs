//! Converts generated types to our own and back. No other file does.

use super::bindings::exports::pml::sandbox::program as wit;
use super::bindings::pml::sandbox::mcp_call;
use super::{GuestFailure, GuestFailureKind, GuestModule, ProgramState};
use crate::model::{CallResult, ConsoleLevel, ConsoleLine};

pub(super) fn module(module: GuestModule) -> wit::Module {
    wit::Module {
        name: module.name,
        code: module.code,
        first_line: module.first_line,
        imports: module.imports,
        refused_imports: module.refused_imports,
    }
}

pub(super) fn outcome(settled: CallResult) -> wit::Outcome {
    match settled {
        CallResult::Value(json) => wit::Outcome::Value(json),
        CallResult::Error { code, message, data } => {
            wit::Outcome::Error(wit::CallError { code, message, data })
        }
    }
}

pub(super) fn line(level: mcp_call::Level, text: String) -> ConsoleLine {
    let level = match level {
        mcp_call::Level::Debug => ConsoleLevel::Debug,
        mcp_call::Level::Log => ConsoleLevel::Log,
        mcp_call::Level::Warn => ConsoleLevel::Warn,
        mcp_call::Level::Error => ConsoleLevel::Error,
    };
    ConsoleLine { level, text }
}

pub(super) fn state(state: wit::State) -> ProgramState {
    match state {
        wit::State::Waiting => ProgramState::Waiting,
        wit::State::Finished(json) => ProgramState::Finished(json),
        wit::State::Failed(failure) => ProgramState::Failed(fault(failure)),
    }
}

pub(super) fn fault(failure: wit::Failure) -> GuestFailure {
    let kind = match failure.kind {
        wit::FailureKind::Threw => GuestFailureKind::Threw,
        wit::FailureKind::UnhandledRejection => GuestFailureKind::UnhandledRejection,
        wit::FailureKind::Syntax => GuestFailureKind::Syntax,
        wit::FailureKind::Stack => GuestFailureKind::Stack,
        wit::FailureKind::NotJson => GuestFailureKind::NotJson,
        wit::FailureKind::ResultSize => GuestFailureKind::ResultSize,
        wit::FailureKind::Stalled => GuestFailureKind::Stalled,
    };
    GuestFailure {
        kind,
        name: failure.name,
        message: failure.message,
        stack: failure.stack,
        code: failure.code,
        causes: failure.causes,
        hint: failure.hint,
    }
}
