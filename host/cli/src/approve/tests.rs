//! Tests of `pml approve` with a journal in memory.

use super::ApproveCommand;
use super::confirm::Confirmation::{self, NobodyToAsk};
use super::record::{ApproveContext, RecordedStatus};
use crate::always_choices;
use crate::arguments::{Arguments, Command};
use crate::identify::short;
use crate::runs::fixture::{self, at};
use crate::terminal::ConfirmDetails;
use crate::widening_permit::CallingAgent;
use anyhow::Result;
use clap::Parser;
use pml::json::Value;
use pml::{
    Answer, Ask, Clock, Decision, Journal, MemoryJournal, Question, RunId, Timestamp,
    approval::{AskId, AskKind},
    journal::{AuditFilter, JournalBatch, JournalEntry, JournalEvent, Lease, Meter, RunState},
    text::Redactor,
};
use std::process::ExitCode;

fn approve(arguments: &[&str]) -> ApproveCommand {
    let typed = ["pml", "approve"].iter().chain(arguments);
    match Arguments::try_parse_from(typed).map(|arguments| arguments.command) {
        Ok(Command::Approve(approve)) => approve,
        _ => panic!("not an approve command: {arguments:?}"),
    }
}

/// A clock that always returns the same time.
struct StoppedClock(Timestamp);

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// The circumstances of a test. The default: no agent, no terminal, one second after the start.
struct Circumstances {
    agent: CallingAgent,
    confirms: Confirmation,
    milliseconds: u64,
    resumable: bool,
}

impl Default for Circumstances {
    fn default() -> Circumstances {
        Circumstances {
            agent: CallingAgent::Absent,
            confirms: Confirmation::NobodyToAsk,
            milliseconds: 1_000,
            resumable: true,
        }
    }
}

async fn record_in(
    journal: &MemoryJournal,
    arguments: &[&str],
    circumstances: Circumstances,
) -> Result<RecordedStatus> {
    let Circumstances { agent, confirms, milliseconds, resumable } = circumstances;
    let (clock, confirm) =
        (StoppedClock(at(milliseconds)), |_: &str, _: &ConfirmDetails| Ok(confirms));
    let check_resumable = || if resumable { Ok(()) } else { anyhow::bail!("it cannot be opened") };
    let context = ApproveContext {
        clock: &clock,
        confirm: &confirm,
        agent,
        settings_error: None,
        suggester: always_choices::sample_suggester,
        redactor: &Redactor::new(),
        check_resumable: &check_resumable,
    };
    approve(arguments).record(journal, &context).await
}

async fn record(
    journal: &MemoryJournal,
    arguments: &[&str],
    confirms: Confirmation,
) -> Result<RecordedStatus> {
    record_in(journal, arguments, Circumstances { confirms, ..Circumstances::default() }).await
}

/// Writes a run that waits for three asks.
async fn waiting_for_three(journal: &MemoryJournal) -> (Question, Lease) {
    let header = fixture::header();
    let ask = || Ask::new(AskKind::ToolPermission, None, "a:b", Value::Null, "policy");
    let asks = vec![ask(), ask(), ask()];
    let question = Question::new(header.run, "main.ts", at(0), None, asks);
    let lease = journal.create(header).await.unwrap();
    let asked = JournalEvent::Asked { question: question.clone() };
    let mut batch = JournalBatch::new(vec![JournalEntry::new(at(0), Meter::default(), asked)]);
    batch.state = Some(RunState::Waiting);
    journal.append(&lease, batch).await.unwrap();
    (question, lease)
}

async fn trail(journal: &MemoryJournal) -> Vec<Value> {
    let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
    trail.entries.into_iter().map(|entry| entry.body).collect()
}

async fn decided(journal: &MemoryJournal, run: RunId) -> Vec<Decision> {
    let decided = journal.decisions(run).await.unwrap();
    decided.into_iter().map(|decided| decided.decision).collect()
}

#[test]
fn decisions_exclude_each_other() {
    for wrong in [
        ["approve", "abcd", "--always", "--decline"].as_slice(),
        &["approve", "abcd", "--abort", "--result", "1"],
        &["approve", "abcd", "--abort", "--only", "1"],
        &["approve", "abcd", "--result", "{no"],
        &["approve", "abcd", "--replan", "--only", "1"],
        &["approve", "abcd", "--only-for", "2"],
        &["approve"],
    ] {
        assert!(Arguments::try_parse_from(["pml"].iter().chain(wrong)).is_err(), "{wrong:?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_yes_is_recorded_and_names_the_owner() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let recorded = record(&journal, &[&short(question.id)], Confirmation::Yes).await.unwrap();
    let RecordedStatus::Recorded { run, owner, open, asks } = recorded else {
        panic!("{recorded:?}")
    };
    assert_eq!((run, owner, open), (question.run, Some(std::process::id()), 0));
    assert_eq!(asks, [(AskId(1), question.asks[0].digest())]);
    assert_eq!(decided(&journal, run).await, [Decision::Approve]);
    let decision_record = journal.decisions(run).await.unwrap().remove(0);
    assert_eq!(decision_record.channel, "command line");
    assert!(decision_record.is_about(&question.asks[0]), "the digest of what was printed");
    drop(lease);
}

#[tokio::test(flavor = "current_thread")]
async fn without_a_yes_nothing_is_recorded() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    drop(lease);
    let id = question.id.to_string();
    let refused = record(&journal, &[&id], Confirmation::No).await.unwrap();
    assert!(matches!(refused, RecordedStatus::NotRecorded(code) if code == ExitCode::from(1)));
    let alone = record(&journal, &[&id], NobodyToAsk).await.unwrap_err();
    assert_eq!(alone.to_string(), "there is no terminal to ask on");
    assert!(decided(&journal, question.run).await.is_empty());
    // The run's id works too, and `--yes` needs no terminal.
    let run = question.run.to_string();
    let recorded = record(&journal, &[&run, "--yes", "--always"], NobodyToAsk).await;
    assert!(matches!(recorded, Ok(RecordedStatus::Recorded { owner: None, .. })));
    assert_eq!(decided(&journal, question.run).await, [Decision::Always]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_late_answer_changes_nothing_and_is_fine_only_if_it_is_the_same() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let id = question.id.to_string();
    record(&journal, &[&id, "--yes"], NobodyToAsk).await.unwrap();
    let same = record(&journal, &[&id, "--yes"], NobodyToAsk).await.unwrap();
    assert!(matches!(same, RecordedStatus::NotRecorded(code) if code == ExitCode::SUCCESS));
    let other = record(&journal, &[&id, "--decline"], NobodyToAsk).await.unwrap();
    assert!(matches!(other, RecordedStatus::NotRecorded(code) if code == ExitCode::from(1)));
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_was_answered_before_and_nobody_went_on_with_goes_on() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let id = question.id.to_string();
    record(&journal, &[&id, "--yes"], NobodyToAsk).await.unwrap();
    let owned = record(&journal, &[&id], NobodyToAsk).await.unwrap();
    assert!(
        matches!(owned, RecordedStatus::NotRecorded(code) if code == ExitCode::SUCCESS),
        "{owned:?}"
    );
    drop(lease);
    let other = record(&journal, &[&id, "--decline"], NobodyToAsk).await.unwrap();
    assert!(
        matches!(other, RecordedStatus::NotRecorded(code) if code == ExitCode::from(1)),
        "{other:?}"
    );
    let before = record(&journal, &[&short(question.id)], NobodyToAsk).await.unwrap();
    assert!(
        matches!(before, RecordedStatus::AnsweredBefore { run } if run == question.run),
        "{before:?}"
    );
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_half_answered_does_not_go_on() {
    let journal = MemoryJournal::new();
    let (question, lease) = waiting_for_three(&journal).await;
    drop(lease);
    let id = question.id.to_string();
    for _ in 0..2 {
        let part = record(&journal, &[&id, "--yes", "--only", "1"], NobodyToAsk).await.unwrap();
        assert!(!matches!(part, RecordedStatus::AnsweredBefore { .. }), "{part:?}");
    }
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn nothing_is_recorded_where_the_run_could_not_go_on() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    drop(lease);
    let broken = Circumstances { resumable: false, ..Circumstances::default() };
    let refused = record_in(&journal, &[&question.id.to_string(), "--yes"], broken).await;
    assert_eq!(refused.unwrap_err().to_string(), "it cannot be opened");
    assert!(decided(&journal, question.run).await.is_empty());
    // A run that has an owner is resumed by its owner.
    let (owned, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let broken = Circumstances { resumable: false, ..Circumstances::default() };
    record_in(&journal, &[&owned.id.to_string(), "--yes"], broken).await.unwrap();
    assert_eq!(decided(&journal, owned.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_no_needs_no_terminal() {
    for (flag, decision) in [
        ("--decline", Decision::Decline),
        ("--abort", Decision::Abort),
        ("--replan", Decision::Replan),
    ] {
        let journal = MemoryJournal::new();
        let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
        let id = question.id.to_string();
        // A person at a terminal can still answer no.
        let refused = record(&journal, &[&id, flag], Confirmation::No).await.unwrap();
        assert!(matches!(refused, RecordedStatus::NotRecorded(_)), "{refused:?}");
        assert!(decided(&journal, question.run).await.is_empty());
        record(&journal, &[&id, flag], NobodyToAsk).await.unwrap();
        assert_eq!(decided(&journal, question.run).await, [decision]);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn last_is_the_newest_open_question() {
    let journal = MemoryJournal::new();
    let none = record(&journal, &["last", "--yes"], NobodyToAsk).await.unwrap_err();
    assert_eq!(none.to_string(), "no question is open");
    let (newest, _one) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let (older, _two) = waiting_for_three(&journal).await;
    record(&journal, &["last", "--yes"], NobodyToAsk).await.unwrap();
    assert_eq!(decided(&journal, newest.run).await, [Decision::Approve]);
    record(&journal, &["last", "--yes", "--decline"], NobodyToAsk).await.unwrap();
    assert_eq!(decided(&journal, older.run).await, vec![Decision::Decline; 3]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_expired_says_when_and_what_never_was_is_not_found() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    for id in [question.id.to_string(), short(question.id), short(question.run)] {
        let after = Circumstances { milliseconds: 400_000, ..Circumstances::default() };
        let late = record_in(&journal, &[&id, "--yes"], after).await.unwrap_err();
        let expired = format!("the question expired at {}: nobody answered in time", at(300_450));
        assert_eq!(late.to_string(), expired);
        let reported = crate::command_error::error_report(&late);
        let hint = format!("`pml run --resume {} report.ts`", short(question.run));
        assert!(reported.hint.as_ref().unwrap().starts_with(&hint), "{reported:?}");
        assert_eq!(reported.code, "WORKFLOW_UNKNOWN");
    }
    for unknown in ["ffffffff", "abc"] {
        let error = record(&journal, &[unknown, "--yes"], NobodyToAsk).await.unwrap_err();
        assert_eq!(error.to_string(), "Workflow expired or not found");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_result_is_for_an_uncertain_call_only() {
    let journal = MemoryJournal::new();
    let (plain, _first) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let (uncertain, _second) = fixture::waiting(&journal, AskKind::UncertainCall).await;
    let (plain_id, uncertain_id) = (plain.id.to_string(), uncertain.id.to_string());
    let refused = record(&journal, &[&plain_id, "--yes", "--result", "1"], NobodyToAsk).await;
    assert!(refused.unwrap_err().to_string().contains("not made yet"));
    assert!(decided(&journal, plain.run).await.is_empty());
    let refused = record(&journal, &[&uncertain_id, "--yes", "--always"], NobodyToAsk).await;
    assert!(refused.unwrap_err().to_string().contains("`--always`"));
    let refused = record(&journal, &[&uncertain_id, "--yes", "--only", "7"], NobodyToAsk).await;
    assert!(refused.unwrap_err().to_string().contains("there is no ask 7"));
    record(&journal, &[&uncertain_id, "--yes", "--result", "{\"ok\":1}"], NobodyToAsk)
        .await
        .unwrap();
    let result = pml::json::json!({ "ok": 1 });
    assert_eq!(decided(&journal, uncertain.run).await, [Decision::Result(result)]);
}

#[tokio::test(flavor = "current_thread")]
async fn an_agent_approves_nothing_and_its_attempt_is_noted() {
    let journal = MemoryJournal::new();
    let (uncertain, _lease) = fixture::waiting(&journal, AskKind::UncertainCall).await;
    let (plain, _other) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let by_agent = || Circumstances {
        agent: CallingAgent::Refused("CLAUDECODE"),
        confirms: Confirmation::Yes,
        ..Circumstances::default()
    };
    let (uncertain, plain) = (uncertain.id.to_string(), plain.id.to_string());
    for arguments in [
        &[plain.as_str()][..],
        &[&plain, "--yes"],
        &[&plain, "--yes", "--always"],
        &[&uncertain, "--yes", "--result", "1"],
    ] {
        let refused = record_in(&journal, arguments, by_agent()).await.unwrap_err().to_string();
        assert!(refused.contains("an agent runs this command (`CLAUDECODE` is set)"), "{refused}");
    }
    let noted: Vec<_> =
        trail(&journal).await.into_iter().filter(|body| body["what"] == "refused").collect();
    assert_eq!(noted.len(), 4);
    assert_eq!(noted[0]["workflow_id"], plain);
    assert_eq!(noted[0]["channel"], "command line, run by an agent (CLAUDECODE)");
}

#[tokio::test(flavor = "current_thread")]
async fn an_agent_may_decline_and_end_and_approve_where_somebody_said_so() {
    for (flag, decision) in [
        ("--decline", Decision::Decline),
        ("--abort", Decision::Abort),
        ("--replan", Decision::Replan),
    ] {
        let journal = MemoryJournal::new();
        let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
        let by_agent = Circumstances {
            agent: CallingAgent::Refused("CLAUDECODE"),
            ..Circumstances::default()
        };
        record_in(&journal, &[&question.id.to_string(), "--yes", flag], by_agent).await.unwrap();
        assert_eq!(decided(&journal, question.run).await, [decision]);
    }
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let allowed =
        Circumstances { agent: CallingAgent::Allowed("GEMINI_CLI"), ..Circumstances::default() };
    record_in(&journal, &[&question.id.to_string(), "--yes"], allowed).await.unwrap();
    let decision_record = journal.decisions(question.run).await.unwrap();
    assert_eq!(decision_record[0].decision, Decision::Approve);
    assert_eq!(decision_record[0].channel, "command line, run by an agent (GEMINI_CLI)");
}

#[tokio::test(flavor = "current_thread")]
async fn a_late_answer_by_a_short_id_says_who_was_first_too() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    record(&journal, &[&short(question.id), "--yes"], NobodyToAsk).await.unwrap();
    for id in [short(question.id), short(question.run)] {
        let late = record(&journal, &[&id, "--yes", "--decline"], NobodyToAsk).await.unwrap();
        assert!(
            matches!(late, RecordedStatus::NotRecorded(code) if code == ExitCode::from(1)),
            "{late:?}"
        );
    }
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_question_answered_elsewhere_while_the_confirmation_stands_is_late() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let elsewhere = |_: &str, _: &ConfirmDetails| {
        let answer = Answer::all(&question, Decision::Decline, "bob", "console");
        let answered = journal.answer(question.id, answer, at(900));
        futures_util::FutureExt::now_or_never(answered).unwrap().unwrap();
        Ok(Confirmation::Yes)
    };
    let clock = StoppedClock(at(1_000));
    let (confirm, agent, suggester) = (
        &elsewhere,
        CallingAgent::Absent,
        pml::approval::suggest_constraints as always_choices::ConstraintSuggester,
    );
    let redactor = &Redactor::new();
    let (clock, check_resumable) = (&clock, &|| Ok(()));
    let context = ApproveContext {
        clock,
        confirm,
        agent,
        settings_error: None,
        suggester,
        redactor,
        check_resumable,
    };
    let late = approve(&[&question.id.to_string()]).record(&journal, &context).await.unwrap();
    assert!(matches!(late, RecordedStatus::NotRecorded(code) if code == ExitCode::from(1)));
    assert_eq!(decided(&journal, question.run).await, [Decision::Decline]);
}

#[tokio::test(flavor = "current_thread")]
async fn several_asks_are_answered_in_part() {
    let journal = MemoryJournal::new();
    let (question, _lease) = waiting_for_three(&journal).await;
    let id = question.id.to_string();
    let part =
        record(&journal, &[&id, "--yes", "--decline", "--only", "1", "--only", "3"], NobodyToAsk)
            .await;
    assert!(matches!(part, Ok(RecordedStatus::Recorded { open: 1, .. })));
    record(&journal, &[&id, "--yes"], NobodyToAsk).await.unwrap();
    let recorded = journal.decisions(question.run).await.unwrap();
    let recorded: Vec<_> = recorded.into_iter().map(|one| (one.ask, one.decision)).collect();
    assert_eq!(
        recorded,
        [
            (AskId(1), Decision::Decline),
            (AskId(3), Decision::Decline),
            (AskId(2), Decision::Approve),
        ]
    );
}

#[tokio::test(flavor = "current_thread")]
async fn always_can_be_for_some_arguments_only() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let id = question.id.to_string();
    let wrong = record(&journal, &[&id, "--yes", "--always", "--only-for", "9"], NobodyToAsk).await;
    assert_eq!(wrong.unwrap_err().to_string(), "there is no condition 9: choose 1 to 3");
    record(&journal, &[&id, "--yes", "--always", "--only-for", "2"], NobodyToAsk).await.unwrap();
    let within = Decision::AlwaysWithin(always_choices::sample_suggestions().remove(0));
    assert_eq!(decided(&journal, question.run).await, [within]);
    let (several, _other) = waiting_for_three(&journal).await;
    let several = several.id.to_string();
    let many =
        record(&journal, &[&several, "--yes", "--always", "--only-for", "2"], NobodyToAsk).await;
    assert_eq!(many.unwrap_err().to_string(), "`--only-for` answers one ask, and 3 are open");
}

#[tokio::test(flavor = "current_thread")]
async fn a_digest_pins_what_is_answered() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let (id, digest) = (question.id.to_string(), question.asks[0].digest());
    let other = format!("{}0", if digest.starts_with('a') { "bbbbbbb" } else { "aaaaaaa" });
    for flags in [&["--yes"][..], &["--yes", "--always"], &["--decline"]] {
        let typed: Vec<&str> = [&id, "--digest", &other].iter().chain(flags).copied().collect();
        let refused = record(&journal, &typed, NobodyToAsk).await.unwrap_err().to_string();
        let short = question.asks[0].short_digest();
        assert!(refused.starts_with(&format!("ask 1 has the digest {short}")), "{refused}");
    }
    assert!(decided(&journal, question.run).await.is_empty());
    let prefix = digest[..8].to_uppercase();
    record(&journal, &[&id, "--yes", "--digest", &prefix], NobodyToAsk).await.unwrap();
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
    for wrong in ["abcdef0", "ghijklmnop", "", &"a".repeat(65)] {
        let typed = ["pml", "approve", "abcd", "--digest", wrong];
        assert!(Arguments::try_parse_from(typed).is_err(), "{wrong}");
    }
}
