//! Tests of the fold from entries to a timeline.

use super::{CallPhase, CallState, PastCallStage, Timeline};
use crate::model::{
    CallId, CallResult, Ecosystem, Effects, Need, Package, RecordedDecision, RunId, Timestamp,
};
use crate::store::tests::sample::question;
use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};
use std::time::Duration;

fn entry(at: u64, what: JournalEvent) -> JournalEntry {
    JournalEntry::new(Timestamp(at), Meter { calls: at, ..Meter::default() }, what)
}

fn requested(call: u64, tool: &str) -> JournalEvent {
    let (call, tool, arguments) = (CallId::numbered(call), tool.into(), Ok("{}".into()));
    JournalEvent::Requested { call, tool, arguments, verdict: CallVerdict::Go }
}

fn executing(call: u64) -> JournalEvent {
    let (tool, approved) = ("a:found".parse().unwrap(), Some("digest".into()));
    let effects = Effects::ReadOnly;
    let (call, origin) = (CallId::numbered(call), None);
    JournalEvent::Executing { call, tool, origin, effects, approved, installed_at: None }
}

fn settled(call: u64, settled: CallResult) -> JournalEvent {
    JournalEvent::Settled { call: CallId::numbered(call), settled }
}

fn value() -> CallResult {
    CallResult::Value("1".into())
}

fn error(code: &str) -> CallResult {
    CallResult::Error { code: code.into(), message: "no".into(), data: None }
}

#[test]
fn a_call_is_followed_from_its_request_to_its_outcome() {
    let entries = [
        entry(10, requested(1, "a:written")),
        entry(20, executing(1)),
        entry(50, settled(1, value())),
    ];
    let before = Timeline::until(&entries[..2], Timestamp(45));
    let call = &before.calls[&CallId::numbered(1)];
    assert_eq!((call.state(), call.stage), (CallState::Executing, PastCallStage::Executing));
    assert_eq!((call.ended, call.active_time()), (None, Duration::from_micros(25)));
    assert!(call.outcome_unknown && before.any_call_sent);
    let timeline = Timeline::of(&entries);
    let call = &timeline.calls[&CallId::numbered(1)];
    assert_eq!((call.state(), call.stage), (CallState::Ok, PastCallStage::Done));
    assert_eq!((call.tool, call.tool_name()), ("a:written", "a:found"));
    assert_eq!((call.approved, call.settled), (Some("digest"), Some(&value())));
    assert_eq!(
        (call.time_in(CallPhase::Queued), call.ended),
        (Duration::from_micros(10), Some(Timestamp(50)))
    );
    assert!(!call.outcome_unknown);
    assert_eq!((timeline.latest_time, timeline.meter.calls), (Timestamp(50), 50));
}

#[test]
fn outcomes_keep_their_order_and_say_which_were_written_together() {
    let entries = [
        entry(1, requested(1, "a:b")),
        entry(1, requested(2, "a:b")),
        entry(1, requested(3, "a:b")),
        entry(2, settled(2, value())),
        entry(3, requested(4, "a:b")),
        entry(4, settled(3, value())),
        entry(4, settled(1, error("X"))),
    ];
    let timeline = Timeline::of(&entries);
    let order: Vec<_> = timeline.outcomes.iter().map(|outcome| outcome.call.number()).collect();
    assert_eq!((order, timeline.confirmed_outcomes), (vec![2, 3, 1], 1));
    assert_eq!(timeline.calls[&CallId::numbered(1)].state(), CallState::Failed("X"));
    assert_eq!(timeline.calls[&CallId::numbered(4)].state(), CallState::Queued);
}

#[test]
fn an_error_of_ours_leaves_the_outcome_unknown() {
    for (code, unknown) in [("OUTCOME_UNKNOWN", true), ("TOOL_FAILED", false)] {
        let entries = [
            entry(1, requested(1, "a:b")),
            entry(2, executing(1)),
            entry(3, settled(1, error(code))),
        ];
        assert_eq!(
            Timeline::of(&entries).calls[&CallId::numbered(1)].outcome_unknown,
            unknown,
            "{code}"
        );
    }
}

#[test]
fn what_comes_after_the_end_of_a_call_does_not_change_how_it_ended() {
    let entries = [
        entry(1, requested(1, "a:b")),
        entry(2, JournalEvent::Cancelled { call: CallId::numbered(1), sent: false }),
        entry(3, settled(1, value())),
    ];
    let timeline = Timeline::of(&entries);
    let call = &timeline.calls[&CallId::numbered(1)];
    assert_eq!((call.state(), call.ended), (CallState::Cancelled, Some(Timestamp(2))));
    assert_eq!(call.settled, Some(&value()));
}

#[test]
fn a_question_is_unanswered_until_each_ask_is_decided_or_it_is_taken_back() {
    let question = question(RunId::new(), None);
    let mut entries = vec![
        entry(1, requested(1, "a:b")),
        entry(2, JournalEvent::Asked { question: question.clone() }),
    ];
    let decisions = question.asks.iter().map(|ask| {
        let (decision, at) = (crate::model::Decision::Approve, Timestamp(3));
        RecordedDecision::new(question.id, ask.id, decision, "ann", "x", at)
            .with_digest(Some(ask.digest()))
    });
    let decisions: Vec<_> = decisions.collect();
    let timeline = Timeline::of(&entries);
    assert_eq!(timeline.calls[&CallId::numbered(1)].stage, PastCallStage::Asked(question.id));
    assert_eq!(timeline.last_ask(CallId::numbered(1)), Some((question.id, &question.asks[0])));
    assert_eq!(timeline.last_ask(CallId::numbered(9)), None);
    assert_eq!(timeline.unanswered(&decisions[..1]).collect::<Vec<_>>(), [question.id]);
    // A decision without the digest of the shown ask does not count.
    let bare: Vec<_> = decisions.iter().cloned().map(|one| one.with_digest(None)).collect();
    assert_eq!(timeline.unanswered(&bare).count(), 1);
    assert_eq!(timeline.unanswered(&decisions).count(), 0);
    entries.push(entry(4, JournalEvent::Withdrawn { question: question.id }));
    assert_eq!(Timeline::of(&entries).unanswered(&[]).count(), 0);
}

#[test]
fn entries_about_calls_that_were_never_requested_change_no_call() {
    let entries = [entry(1, executing(1)), entry(2, settled(1, value()))];
    let timeline = Timeline::of(&entries);
    assert!(timeline.calls.is_empty() && timeline.outcomes.len() == 1);
}

fn found_later(call: u64) -> JournalEvent {
    let (call, tool, arguments) = (CallId::numbered(call), "a:b".into(), Ok("{}".into()));
    JournalEvent::Requested { call, tool, arguments, verdict: CallVerdict::Find }
}

#[test]
fn starting_a_server_and_installing_it_are_phases_of_their_own() {
    let mut entries =
        [entry(10, found_later(1)), entry(40, executing(1)), entry(50, settled(1, value()))];
    let before = Timeline::until(&entries[..1], Timestamp(30));
    let call = &before.calls[&CallId::numbered(1)];
    assert_eq!((call.state(), call.spans[0].phase), (CallState::Starting, CallPhase::Starting));
    let phases = |timeline: &Timeline<'_>| -> Vec<_> {
        let spans = timeline.calls[&CallId::numbered(1)].spans.iter();
        spans.map(|span| (span.phase, span.to.0 - span.from.0)).collect()
    };
    let started = [(CallPhase::Starting, 30), (CallPhase::Executing, 10)];
    assert_eq!(phases(&Timeline::of(&entries)), started);
    if let JournalEvent::Executing { installed_at, .. } = &mut entries[1].event {
        *installed_at = Some(Timestamp(35));
    }
    let installed =
        [(CallPhase::Installing, 25), (CallPhase::Starting, 5), (CallPhase::Executing, 10)];
    assert_eq!(phases(&Timeline::of(&entries)), installed);
}

#[test]
fn a_wait_for_a_person_ends_with_their_decision() {
    let mut question = question(RunId::new(), None);
    let package = Package::new("a", Ecosystem::Npm, "a", "1.0.0", "registry.example", "npx a");
    question.asks[0].need = Some(Need::Install(package));
    let call = question.asks[0].call.expect("it is about a call");
    let entries = [
        entry(10, requested(call.number(), "a:b")),
        entry(20, JournalEvent::Asked { question: question.clone() }),
        entry(90, executing(call.number())),
    ];
    let decided = RecordedDecision::new(
        question.id,
        question.asks[0].id,
        crate::model::Decision::Approve,
        "ann",
        "x",
        Timestamp(60),
    );
    let decided = [decided.with_digest(Some(question.asks[0].digest()))];
    let timeline = Timeline::of(&entries).with_decisions(&decided);
    let past = &timeline.calls[&call];
    assert_eq!(past.time_in(CallPhase::Asked), Duration::from_micros(40));
    let between = past.spans.iter().find(|span| span.from == Timestamp(60)).expect("a span");
    assert_eq!((between.phase, between.to), (CallPhase::Installing, Timestamp(90)));
    // The server was started once its package was there.
    let mut started = entries.to_vec();
    if let JournalEvent::Executing { installed_at, .. } = &mut started[2].event {
        *installed_at = Some(Timestamp(75));
    }
    let timeline = Timeline::of(&started).with_decisions(&decided);
    let times = [CallPhase::Asked, CallPhase::Installing, CallPhase::Starting]
        .map(|phase| timeline.calls[&call].time_in(phase).as_micros());
    assert_eq!(times, [40, 15, 15]);
    // Between the decision and the process that resumed the run nothing was done.
    let mut resumed = entries.to_vec();
    resumed.insert(2, entry(80, JournalEvent::Resumed { pml: "0.1.0".into() }));
    let timeline = Timeline::of(&resumed).with_decisions(&decided);
    let installing = timeline.calls[&call].time_in(CallPhase::Installing);
    assert_eq!(installing, Duration::from_micros(10));
    // The package was resolved before the question.
    let mut found = entries.to_vec();
    found[0] = entry(10, found_later(call.number()));
    let first = Timeline::of(&found).calls[&call].spans[0];
    assert_eq!((first.phase, first.to), (CallPhase::Installing, Timestamp(20)));
    let undecided = Timeline::of(&entries).with_decisions(&[]);
    assert_eq!(undecided.calls[&call].time_in(CallPhase::Asked), Duration::from_micros(70));
}

#[test]
fn a_reused_call_has_no_time_of_its_own() {
    let (call, tool, arguments) = (CallId::numbered(1), "a:b".into(), Ok("{}".into()));
    let verdict = CallVerdict::Recall { number: 1 };
    let entries = [
        entry(10, JournalEvent::Requested { call, tool, arguments, verdict }),
        entry(90, settled(1, value())),
    ];
    let timeline = Timeline::of(&entries);
    let past = &timeline.calls[&call];
    assert_eq!((past.state(), past.spans.len()), (CallState::Ok, 0));
}

#[test]
fn a_call_that_a_resumed_run_makes_after_a_yes_waits_for_its_server_first() {
    for (tool, resumed, phase) in [
        ("a:b", true, CallPhase::Starting),
        ("a:b", false, CallPhase::Queued),
        ("pml:confirm", true, CallPhase::Queued),
    ] {
        let question = question(RunId::new(), None);
        let mut entries = vec![
            entry(1, requested(1, tool)),
            entry(2, JournalEvent::Asked { question: question.clone() }),
        ];
        if resumed {
            entries.push(entry(5, JournalEvent::Resumed { pml: "0.1.0".into() }));
        }
        entries.push(entry(9, settled(1, value())));
        let (ask, yes) = (&question.asks[0], crate::model::Decision::Approve);
        let decided = RecordedDecision::new(question.id, ask.id, yes, "ann", "x", Timestamp(3))
            .with_digest(Some(ask.digest()));
        let timeline = Timeline::of(&entries).with_decisions(&[decided]);
        let last = timeline.calls[&CallId::numbered(1)].spans.last().copied().unwrap();
        let from = Timestamp(if resumed { 5 } else { 3 });
        assert_eq!((last.phase, last.from, last.to), (phase, from, Timestamp(9)), "{tool}");
    }
}
