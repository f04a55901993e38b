//! Sample runs, entries and questions for tests of journals.

use crate::model::{
    Ask, AskKind, CallId, CallResult, Effects, Limits, Question, QuestionId, RunId, Tenant,
    Timestamp, ToolName, ToolOrigin,
};
use crate::store::{
    CallVerdict, FORMAT, JournalBatch, JournalEntry, JournalEvent, Meter, RunHeader, RunState,
};
use serde_json::json;
use std::time::Duration;

/// Text that exposes wrong quoting.
pub(in crate::store) const NASTY: &str = "'\"; DROP TABLE runs; --\0\u{202e}\n\t\\ é 😀 \u{fffd}";

/// The latest time that a journal must store.
pub(in crate::store) const LATEST: Timestamp = Timestamp(i64::MAX as u64);

pub(in crate::store) fn header(script: &str) -> RunHeader {
    RunHeader {
        run: RunId::new(),
        format: FORMAT,
        pml: "0.1.0".into(),
        guest: "ab".repeat(32),
        script: script.into(),
        program: format!("{{\"nasty\":\"{NASTY}\"}}"),
        inputs: "{\"n\":0.1}".into(),
        seed: std::array::from_fn(|index| index as u8 ^ 0xa5),
        created: Timestamp(1_000),
        started: Timestamp(900),
        limits: Limits::default(),
        resumed_from: None,
        checkpoint: Some(format!("{{\"recalled\":\"{NASTY}\"}}")),
        lock: Some("cd".repeat(32)),
        trace: "0123456789abcdef0123456789abcdef".into(),
        tenant: Tenant::new("tenant é"),
    }
}

pub(in crate::store) fn meter(step: u64) -> Meter {
    Meter {
        cpu: Duration::from_nanos(step * 1_001),
        wall: Duration::new(step, 999_999_999),
        lines: step,
        calls: u64::MAX - step,
    }
}

pub(in crate::store) fn entry(step: u64, what: JournalEvent) -> JournalEntry {
    JournalEntry::new(Timestamp(2_000 + step), meter(step), what)
}

/// Returns a small entry that differs from others.
pub(in crate::store) fn settled(step: u64) -> JournalEntry {
    entry(
        step,
        JournalEvent::Settled {
            call: CallId::numbered(step),
            settled: CallResult::Value(step.to_string()),
        },
    )
}

/// Returns a question of two asks that expires at `expires`.
pub(in crate::store) fn question(run: RunId, expires: Option<u64>) -> Question {
    let arguments = json!({ "z": 0.1, "a": [u64::MAX, i64::MIN, 1e300], "n": NASTY });
    let ask = |call| {
        Ask::new(
            AskKind::ToolPermission,
            Some(CallId::numbered(call)),
            "a:b",
            arguments.clone(),
            NASTY,
        )
    };
    Question::new(run, "script.ts", Timestamp(3_000), expires.map(Timestamp), vec![ask(1), ask(2)])
}

/// Returns a batch that asks the question and sets the run to waiting.
pub(in crate::store) fn asking(question: &Question) -> JournalBatch {
    let asked = JournalEvent::Asked { question: question.clone() };
    JournalBatch { state: Some(RunState::Waiting), ..JournalBatch::new(vec![entry(1, asked)]) }
}

/// Returns a batch that ends the run.
pub(in crate::store) fn ending(state: RunState) -> JournalBatch {
    let ended = JournalEvent::Ended { ending: "{\"finished\":null}".into() };
    JournalBatch { state: Some(state), ..JournalBatch::new(vec![entry(9, ended)]) }
}

/// Returns one entry of every kind, and of every form that a kind has.
pub(in crate::store) fn every_kind(run: RunId) -> Vec<JournalEntry> {
    let tool: ToolName = "server:tool".parse().unwrap();
    let requested = |arguments, verdict| JournalEvent::Requested {
        call: CallId::numbered(u64::MAX),
        tool: NASTY.into(),
        arguments,
        verdict,
    };
    let error = |data: Option<&str>| JournalEvent::Settled {
        call: CallId::numbered(2),
        settled: CallResult::Error {
            code: "TOOL_FAILED".into(),
            message: NASTY.into(),
            data: data.map(str::to_owned),
        },
    };
    let value = |text: String| JournalEvent::Settled {
        call: CallId::numbered(3),
        settled: CallResult::Value(text),
    };
    let refused = CallVerdict::Refuse { code: "TOOL_DENIED".into(), message: NASTY.into() };
    let whats = vec![
        requested(Ok("{\"b\":1,  \"a\":1.0}".into()), CallVerdict::Go),
        requested(
            Ok(String::new()),
            CallVerdict::Ask { kind: AskKind::UncertainCall, reason: NASTY.into() },
        ),
        requested(Err(usize::MAX), refused),
        requested(Ok("0".into()), CallVerdict::Sleep { due: Timestamp(u64::MAX) }),
        requested(Ok(NASTY.into()), CallVerdict::Recall { number: 7 }),
        JournalEvent::Asked { question: question(run, Some(u64::MAX)) },
        JournalEvent::Asked { question: question(run, None) },
        JournalEvent::Executing {
            call: CallId::numbered(1),
            tool: tool.clone(),
            origin: None,
            effects: Effects::Unknown,
            approved: None,
            installed_at: None,
        },
        JournalEvent::Executing {
            call: CallId::numbered(1),
            tool,
            origin: Some(ToolOrigin::new(NASTY, "ab")),
            effects: Effects::Idempotent,
            approved: Some("ab".repeat(32)),
            installed_at: Some(Timestamp(7)),
        },
        requested(Ok("{}".into()), CallVerdict::Find),
        value(NASTY.into()),
        value("\"é\"".repeat(1 << 20)),
        error(None),
        error(Some("{\"retry\": true}")),
        error(Some("")),
        JournalEvent::Cancelled { call: CallId::numbered(4), sent: true },
        JournalEvent::Cancelled { call: CallId::numbered(4), sent: false },
        JournalEvent::Abandoned { call: CallId::numbered(5), sent: true },
        JournalEvent::Abandoned { call: CallId::numbered(5), sent: false },
        JournalEvent::Withdrawn { question: QuestionId::new() },
        JournalEvent::Resumed { pml: "0.2.0-rc.1+x".into() },
        JournalEvent::Ended { ending: NASTY.into() },
    ];
    let mut entries: Vec<_> =
        whats.into_iter().zip(0..).map(|(what, step)| entry(step, what)).collect();
    entries.push(JournalEntry::new(LATEST, meter(3), JournalEvent::Resumed { pml: String::new() }));
    entries.push(JournalEntry::new(
        Timestamp(0),
        Meter::default(),
        JournalEvent::Ended { ending: "1".into() },
    ));
    entries
}
