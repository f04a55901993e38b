//! Answers on the command line, against a journal in memory.

use super::{Approve, Recorded};
use crate::cli::arguments::{Arguments, Command};
use crate::cli::identify::short;
use crate::cli::runs::fixture::{self, at};
use crate::{AskKind, Decision, Journal, MemoryJournal};
use anyhow::Result;
use clap::Parser;
use std::process::ExitCode;

fn approve(arguments: &[&str]) -> Approve {
    let typed = ["pml", "approve"].iter().chain(arguments);
    match Arguments::try_parse_from(typed).map(|arguments| arguments.command) {
        Ok(Command::Approve(approve)) => approve,
        _ => panic!("not an approve command: {arguments:?}"),
    }
}

fn nobody(_: &str) -> Result<Option<bool>> {
    Ok(None)
}

async fn record(
    journal: &MemoryJournal,
    arguments: &[&str],
    says: Option<bool>,
) -> Result<Recorded> {
    approve(arguments).record(journal, at(1_000), &|_| Ok(says)).await
}

async fn decided(journal: &MemoryJournal, run: crate::RunId) -> Vec<Decision> {
    let decided = journal.decided(run).await.unwrap();
    decided.into_iter().map(|decided| decided.decision).collect()
}

#[test]
fn decisions_exclude_each_other() {
    for wrong in [
        ["approve", "abcd", "--always", "--decline"].as_slice(),
        &["approve", "abcd", "--abort", "--result", "1"],
        &["approve", "abcd", "--abort", "--only", "1"],
        &["approve", "abcd", "--result", "{no"],
        &["approve"],
    ] {
        assert!(Arguments::try_parse_from(["pml"].iter().chain(wrong)).is_err(), "{wrong:?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_yes_is_recorded_and_names_the_owner() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let recorded = record(&journal, &[&short(question.id)], Some(true)).await.unwrap();
    let Recorded::New { run, owner, open } = recorded else { panic!("{recorded:?}") };
    assert_eq!((run, owner, open), (question.run, Some(std::process::id()), 0));
    assert_eq!(decided(&journal, run).await, [Decision::Approve]);
    assert_eq!(journal.decided(run).await.unwrap()[0].channel, "command line");
    drop(lease);
}

#[tokio::test(flavor = "current_thread")]
async fn without_a_yes_nothing_is_recorded() {
    let journal = MemoryJournal::new();
    let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    drop(lease);
    let id = question.id.to_string();
    let refused = record(&journal, &[&id], Some(false)).await.unwrap();
    assert!(matches!(refused, Recorded::Nothing(code) if code == ExitCode::from(1)));
    let alone = approve(&[&id]).record(&journal, at(1_000), &nobody).await.unwrap_err();
    assert_eq!(alone.to_string(), "no terminal to confirm on");
    assert!(decided(&journal, question.run).await.is_empty());
    // The run's id does as well, and `--yes` needs nobody.
    let run = question.run.to_string();
    let recorded = approve(&[&run, "--yes", "--always"]).record(&journal, at(1_000), &nobody).await;
    assert!(matches!(recorded, Ok(Recorded::New { owner: None, .. })));
    assert_eq!(decided(&journal, question.run).await, [Decision::Always]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_late_answer_changes_nothing_and_is_fine_only_if_it_is_the_same() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let id = question.id.to_string();
    record(&journal, &[&id, "--yes"], None).await.unwrap();
    let same = record(&journal, &[&id, "--yes"], None).await.unwrap();
    assert!(matches!(same, Recorded::Nothing(code) if code == ExitCode::SUCCESS));
    let other = record(&journal, &[&id, "--decline"], None).await.unwrap();
    assert!(matches!(other, Recorded::Nothing(code) if code == ExitCode::from(1)));
    assert_eq!(decided(&journal, question.run).await, [Decision::Approve]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_expired_or_never_was_is_not_found() {
    let journal = MemoryJournal::new();
    let (question, _lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let id = question.id.to_string();
    let late = approve(&[&id, "--yes"]).record(&journal, at(400_000), &nobody).await.unwrap_err();
    assert_eq!(late.to_string(), "Workflow expired or not found");
    for unknown in ["ffffffff", "abc", "last"] {
        let error = record(&journal, &[unknown, "--yes"], None).await.unwrap_err();
        assert_eq!(error.to_string(), "Workflow expired or not found");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_result_is_for_an_uncertain_call_only() {
    let journal = MemoryJournal::new();
    let (plain, _first) = fixture::waiting(&journal, AskKind::ToolPermission).await;
    let (uncertain, _second) = fixture::waiting(&journal, AskKind::UncertainCall).await;
    let (plain_id, uncertain_id) = (plain.id.to_string(), uncertain.id.to_string());
    let refused = record(&journal, &[&plain_id, "--yes", "--result", "1"], None).await;
    assert!(refused.unwrap_err().to_string().contains("not made yet"));
    assert!(decided(&journal, plain.run).await.is_empty());
    let refused = record(&journal, &[&uncertain_id, "--yes", "--always"], None).await;
    assert!(refused.unwrap_err().to_string().contains("`--always`"));
    let refused = record(&journal, &[&uncertain_id, "--yes", "--only", "7"], None).await;
    assert!(refused.unwrap_err().to_string().contains("there is no ask 7"));
    record(&journal, &[&uncertain_id, "--yes", "--result", "{\"ok\":1}"], None).await.unwrap();
    let result = crate::json::json!({ "ok": 1 });
    assert_eq!(decided(&journal, uncertain.run).await, [Decision::Result(result)]);
}
