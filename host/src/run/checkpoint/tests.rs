//! Checkpoints of one run and of several.

use super::Checkpoint;
use crate::model::{CallId, CallResult, Effects, Limits, RunId, Tenant, Timestamp};
use crate::store::{CallVerdict, FORMAT, JournalEntry, JournalEvent, Meter, RunHeader, Timeline};

fn entries(calls: &[(&str, &str, CallResult)]) -> Vec<JournalEntry> {
    let mut entries = Vec::new();
    let mut note = |what| entries.push(JournalEntry::new(Timestamp(1), Meter::default(), what));
    for ((tool, arguments, _), id) in calls.iter().zip(1..) {
        note(JournalEvent::Requested {
            call: CallId::numbered(id),
            tool: (*tool).into(),
            arguments: Ok((*arguments).into()),
            verdict: CallVerdict::Go,
        });
    }
    for (index, (.., settled)) in calls.iter().enumerate().rev() {
        let id = index as u64 + 1;
        note(JournalEvent::Settled { call: CallId::numbered(id), settled: settled.clone() });
    }
    entries
}

fn header(checkpoint: Option<String>) -> RunHeader {
    RunHeader {
        run: RunId::new(),
        format: FORMAT,
        pml: String::new(),
        guest: String::new(),
        script: String::new(),
        program: String::new(),
        inputs: String::new(),
        seed: [0; 32],
        created: Timestamp(0),
        started: Timestamp(0),
        limits: Limits::default(),
        resumed_from: None,
        checkpoint,
        lock: None,
        trace: String::new(),
        tenant: Tenant::default(),
    }
}

fn earlier(calls: &[(&str, &str, CallResult)]) -> Checkpoint {
    let entries = entries(calls);
    Checkpoint::of(&header(None), &Timeline::of(&entries)).expect("it is written").0
}

fn value(text: &str) -> CallResult {
    CallResult::Value(text.into())
}

#[test]
fn the_kth_call_gets_the_kth_outcome_whatever_the_order_of_keys() {
    let mut checkpoint = earlier(&[
        ("a:b", r#"{"x":1,"y":2}"#, value("1")),
        ("a:b", r#"{"x":2}"#, value("2")),
        ("a:b", r#"{"y":2,"x":1}"#, value("3")),
    ]);
    let mut take = |arguments| checkpoint.take("a:b", arguments).map(|found| found.settled);
    assert_eq!(take(r#"{"y":2,"x":1}"#), Some(value("1")));
    assert_eq!(take(r#"{"x":1,"y":2}"#), Some(value("3")));
    assert_eq!(take(r#"{"x":1,"y":2}"#), None);
    assert_eq!(take(r#"{"x":2}"#), Some(value("2")));
}

#[test]
fn a_call_that_failed_is_not_recalled() {
    let failed = CallResult::Error { code: "X".into(), message: "no".into(), data: None };
    assert!(earlier(&[("a:b", "{}", failed)]).take("a:b", "{}").is_none());
}

#[test]
fn only_calls_that_may_have_had_effects_are_unmatched() {
    let mut checkpoint = earlier(&[
        ("a:write", "{}", value("1")),
        ("a:read", "{}", value("2")),
        ("pml:sleep", r#"{"ms":1}"#, value("null")),
        ("a:write", r#"{"n":1}"#, value("3")),
    ]);
    let effects = |tool: &crate::model::ToolName| match tool.tool() {
        "read" => Effects::ReadOnly,
        _ => Effects::Unknown,
    };
    let calls = |checkpoint: &Checkpoint| -> Vec<_> {
        checkpoint.unmatched(effects).iter().map(|unmatched| unmatched.call.number()).collect()
    };
    assert_eq!(calls(&checkpoint), [1, 4]);
    checkpoint.take("a:write", "{}");
    assert_eq!(calls(&checkpoint), [4]);
}

#[test]
fn what_a_run_took_up_and_did_not_use_is_handed_on() {
    let first = entries(&[("a:b", "{}", value("1")), ("a:b", "{\"n\":2}", value("2"))]);
    let (_, text) = Checkpoint::of(&header(None), &Timeline::of(&first)).expect("it is written");
    // The second run uses one of them, and has made a call of its own whose outcome nobody knows.
    let note = |what| JournalEntry::new(Timestamp(5), Meter::default(), what);
    let requested = |id, arguments: &str, verdict| {
        let (tool, arguments) = ("a:b".to_owned(), Ok(arguments.to_owned()));
        note(JournalEvent::Requested { call: CallId::numbered(id), tool, arguments, verdict })
    };
    let second = vec![
        requested(1, "{}", CallVerdict::Recall { number: 0 }),
        note(JournalEvent::Settled { call: CallId::numbered(1), settled: value("1") }),
        requested(2, "{\"n\":3}", CallVerdict::Go),
        note(JournalEvent::Executing {
            call: CallId::numbered(2),
            tool: "a:b".parse().expect("a tool"),
            origin: None,
            effects: Effects::Unknown,
            approved: None,
            installed_at: None,
        }),
    ];
    let (mut third, _) =
        Checkpoint::of(&header(Some(text)), &Timeline::of(&second)).expect("it is written");
    assert_eq!(third.take("a:b", "{}").map(|found| found.settled), Some(value("1")));
    assert_eq!(third.take("a:b", "{}").map(|found| found.settled), None);
    let handed_on = third.take("a:b", "{\"n\":2}").expect("it is handed on");
    assert_eq!(handed_on.settled, value("2"));
    assert!(third.take_unknown("a:b", "{\"n\":3}"));
    assert!(!third.take_unknown("a:b", "{\"n\":3}"));
}

#[test]
fn an_outcome_that_says_nothing_of_the_tool_leaves_the_call_unknown() {
    for (code, unknown) in [("OUTCOME_UNKNOWN", true), ("REPLY_SIZE", true), ("TOOL_FAILED", false)]
    {
        let failed = CallResult::Error { code: code.into(), message: "no".into(), data: None };
        let mut entries = entries(&[("a:b", "{}", failed)]);
        let tool = "a:b".parse().expect("a tool");
        let effects = Effects::Unknown;
        let executing = JournalEvent::Executing {
            call: CallId::numbered(1),
            tool,
            origin: None,
            effects,
            approved: None,
            installed_at: None,
        };
        entries.insert(1, JournalEntry::new(Timestamp(1), Meter::default(), executing));
        let checkpoint = Checkpoint::of(&header(None), &Timeline::of(&entries));
        assert_eq!(
            checkpoint.expect("it is written").0.take_unknown("a:b", "{}"),
            unknown,
            "{code}"
        );
    }
}
