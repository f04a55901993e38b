//! A run for tests, with calls and entries of every kind.

use pml::json::json;
use pml::{
    Answer, Ask, CallId, Decision, Journal, Limits, Question, RunId, Timestamp, ToolName,
    approval::AskKind,
    journal::{
        CallResult, CallVerdict, FORMAT, JournalBatch, JournalEntry, JournalEvent, Lease, Meter,
        RunHeader, RunState, Tenant,
    },
};
use std::time::Duration;

/// 2026-11-16T04:27:10Z
pub(crate) const START: u64 = 1_794_803_230_000_000;

/// Returns the time this many milliseconds after the start.
pub(crate) fn at(milliseconds: u64) -> Timestamp {
    Timestamp(START + milliseconds * 1_000)
}

pub(crate) fn header() -> RunHeader {
    RunHeader {
        run: RunId::new(),
        format: FORMAT,
        pml: "0.1.0".into(),
        guest: "ab".repeat(32),
        script: "report\u{1b}.ts".into(),
        program: "{}".into(),
        inputs: "{}".into(),
        seed: [0; 32],
        created: at(0),
        started: at(0),
        limits: Limits::default(),
        resumed_from: None,
        checkpoint: None,
        lock: None,
        trace: "cd".repeat(16),
        tenant: Tenant::default(),
    }
}

fn entry(milliseconds: u64, what: JournalEvent) -> JournalEntry {
    let (wall, cpu) = (Duration::from_millis(milliseconds), Duration::from_millis(12));
    let meter = Meter { wall, cpu, calls: 5, ..Meter::default() };
    JournalEntry::new(at(milliseconds), meter, what)
}

fn requested(call: u64, tool: &str, arguments: &str, verdict: CallVerdict) -> JournalEvent {
    let (tool, arguments) = (tool.into(), Ok(arguments.into()));
    JournalEvent::Requested { call: CallId::numbered(call), tool, arguments, verdict }
}

fn executing(call: u64, tool: &str) -> JournalEvent {
    JournalEvent::Executing {
        call: CallId::numbered(call),
        tool: tool.parse::<ToolName>().unwrap(),
        origin: None,
        effects: pml::tool::Effects::Unknown,
        approved: None,
        installed_at: None,
    }
}

fn settled(call: u64, settled: CallResult) -> JournalEvent {
    JournalEvent::Settled { call: CallId::numbered(call), settled }
}

/// Returns a question of this run, about its second call.
pub(crate) fn question(run: RunId, kind: AskKind) -> Question {
    let arguments = json!({ "to": "Ann", "amount": 5, "token": "t0p" });
    let ask = Ask::new(kind, Some(CallId::numbered(2)), "bank:pay", arguments, "`bank:*` asks");
    Question::new(run, "report.ts", at(450), Some(at(300_450)), vec![ask])
}

fn with_question(question: Question) -> Vec<JournalEntry> {
    let failed = CallResult::Error {
        code: "TOOL_FAILED".into(),
        message: "no such file".into(),
        data: None,
    };
    let asks = CallVerdict::Ask { kind: AskKind::ToolPermission, reason: "`bank:*` asks".into() };
    vec![
        entry(0, requested(1, "github:list_issues", r#"{"repo":"pml"}"#, CallVerdict::Go)),
        entry(10, executing(1, "github:list_issues")),
        entry(400, settled(1, CallResult::Value("[]".into()))),
        entry(400, requested(2, "bank:pay", r#"{"to":"Ann","amount":5,"token":"t0p"}"#, asks)),
        entry(450, JournalEvent::Asked { question }),
        entry(2_000, executing(2, "bank:pay")),
        entry(2_300, settled(2, CallResult::Value(r#"{"ok":true}"#.into()))),
        entry(
            2_300,
            requested(3, "files:read", r#"{"path":"/tmp/a\n\u001b[2J"}"#, CallVerdict::Go),
        ),
        entry(2_310, executing(3, "files:read")),
        entry(2_400, settled(3, failed)),
        entry(
            2_400,
            requested(4, "pml:sleep", r#"{"ms":500}"#, CallVerdict::Sleep { due: at(2_900) }),
        ),
        entry(2_900, settled(4, CallResult::Value("null".into()))),
        entry(2_900, requested(5, "log:write", "{}", CallVerdict::Go)),
        entry(2_900, executing(5, "log:write")),
        entry(3_000, JournalEvent::Abandoned { call: CallId::numbered(5), sent: true }),
    ]
}

pub(crate) fn entries() -> Vec<JournalEntry> {
    with_question(question(RunId::new(), AskKind::ToolPermission))
}

/// Writes a run that has finished with a result.
pub(crate) async fn finished(journal: &dyn Journal) -> RunId {
    let header = header();
    let run = header.run;
    let lease = journal.create(header).await.unwrap();
    let question = question(run, AskKind::ToolPermission);
    let id = question.id;
    let answer = Answer::all(&question, Decision::Approve, "ann", "terminal");
    journal.append(&lease, JournalBatch::new(with_question(question))).await.unwrap();
    journal.answer(id, answer, at(1_990)).await.unwrap();
    let ending = r#"{"finished":{"items":2,"api_key":"t0p"}}"#.into();
    let mut batch = JournalBatch::new(vec![entry(3_000, JournalEvent::Ended { ending })]);
    batch.state = Some(RunState::Finished);
    journal.append(&lease, batch).await.unwrap();
    run
}

/// Writes a run that waits for an answer. The run has no owner after the lease is dropped.
pub(crate) async fn waiting(journal: &dyn Journal, kind: AskKind) -> (Question, Lease) {
    let header = header();
    let question = question(header.run, kind);
    let lease = journal.create(header).await.unwrap();
    let mut entries = with_question(question.clone());
    entries.truncate(5);
    let mut batch = JournalBatch::new(entries);
    batch.state = Some(RunState::Waiting);
    journal.append(&lease, batch).await.unwrap();
    (question, lease)
}
