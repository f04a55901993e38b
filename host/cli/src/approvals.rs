//! The command `pml approvals`: lists open questions, and answered runs that no process has
//! resumed.

use super::execute::runtime;
use super::identify::short;
use super::moment::{ago, format_span};
use super::reveal::{Reveal, redactor};
use super::terminal::width_of_stdout;
use super::ui::{self, BOLD, DIM, HINT};
use super::wrap::wrap;
use super::{project, runs};
use crate::always_choices::choices;
use anyhow::Result;
use clap::Args;
use pml::json::Value;
use pml::{
    Ask, Clock, Error, Journal, SystemClock, Timestamp,
    approval::{details_of_ask_with, lines_of_ask_with, suggest_constraints},
    journal::{RunFilter, RunState, RunSummary, StoredQuestion},
    text::Redactor,
};
use std::process::ExitCode;

/// Width of the output if stdout is not a terminal.
const WIDTH: usize = 100;

/// List open questions, and runs that were answered and that no process runs
#[derive(Args)]
pub(super) struct ApprovalsCommand {
    /// Show all details of each: all arguments, what has changed, what would be installed
    #[arg(long, short, conflicts_with = "json")]
    verbose: bool,
    /// Show secrets instead of their length; refused if an agent runs the command
    #[arg(long)]
    reveal: bool,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

impl ApprovalsCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let redactor = redactor(Reveal::from(self.reveal))?;
        let journal = project::journal()?;
        runtime()?.block_on(self.run_with(&*journal, SystemClock.now(), &redactor))
    }

    async fn run_with(
        self,
        journal: &dyn Journal,
        now: Timestamp,
        redactor: &Redactor,
    ) -> Result<ExitCode> {
        let open = journal.questions(None, now).await.map_err(Error::from)?;
        if self.json {
            let questions: Value =
                open.iter().map(|stored| runs::stored_question_json(stored, redactor)).collect();
            ui::document(&questions)?;
            return Ok(ExitCode::SUCCESS);
        }
        answered_runs(journal, now).await?.iter().for_each(|run| ui::say(&answered_run_line(run)));
        if open.is_empty() {
            ui::say("no question is open");
        } else {
            let width = width_of_stdout().unwrap_or(WIDTH);
            ui::print(
                &open
                    .iter()
                    .map(|it| {
                        question_lines(
                            it,
                            width,
                            now,
                            &|ask| self.detail_lines(ask, redactor),
                            redactor,
                        )
                    })
                    .collect::<Vec<_>>()
                    .join("\n\n"),
            )?;
            let id = match open.as_slice() {
                [only] => short(only.question.id),
                _ => "ID".into(),
            };
            ui::say(&format!(
                "{HINT}hint{HINT:#}: `pml approve {id}` answers; the last digits of an id are enough"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the lines that `--verbose` adds below an ask's first lines.
    fn detail_lines(&self, ask: &Ask, redactor: &Redactor) -> Vec<String> {
        if !self.verbose {
            return Vec::new();
        }
        let choices = choices(ask, suggest_constraints);
        let head = (!choices.is_empty()).then(|| ALWAYS_HEADING.to_owned());
        details_of_ask_with(ask, redactor).into_iter().chain(head).chain(choices).collect()
    }
}

/// Returns the runs whose questions are all answered and that no process owns.
async fn answered_runs(journal: &dyn Journal, now: Timestamp) -> Result<Vec<RunSummary>> {
    let filter = RunFilter { states: vec![RunState::Waiting], ..RunFilter::default() };
    let waiting = journal.runs(filter, now).await.map_err(Error::from)?;
    Ok(waiting.into_iter().filter(|run| run.questions == 0 && run.owner.is_none()).collect())
}

fn answered_run_line(run: &RunSummary) -> String {
    let (name, script) = (short(run.run), runs::script_name(&run.script, 80));
    format!(
        "answered: run {name} can go on │ {script}\n\
         {HINT}hint{HINT:#}: `pml run --resume {name}` goes on"
    )
}

/// Returns the lines to show below an ask's first lines.
type AskDetailLines<'a> = &'a dyn Fn(&Ask) -> Vec<String>;

/// The line above the list of choices.
const ALWAYS_HEADING: &str = "`pml approve ID --always --only-for N` always allows it, with:";

fn question_lines(
    stored: &StoredQuestion,
    width: usize,
    now: Timestamp,
    detail_lines: AskDetailLines<'_>,
    redactor: &Redactor,
) -> String {
    let question = &stored.question;
    let expires = match question.expires_at {
        Some(end) => format!("expires in {}", format_span(end.since(now))),
        None => "never expires".into(),
    };
    let mut text = format!(
        "{BOLD}{}{BOLD:#}\n  {DIM}run {}, asked {}, {expires}{DIM:#}\n{}",
        question.id,
        short(question.run),
        ago(question.asked_at, now),
        wrap(&format!("  script │ {}", runs::script_name(&question.script, 80)), width),
    );
    for ask in &question.asks {
        if question.asks.len() > 1 {
            text += &format!("\n  {DIM}ask {}{DIM:#}", ask.id);
        }
        for line in lines_of_ask_with(ask, redactor) {
            text += &format!("\n{}", wrap(&format!("  {line}"), width));
        }
        for line in detail_lines(ask) {
            text += &format!("\n{}", wrap(&format!("    {line}"), width));
        }
        if let Some(decided) = stored.decided.iter().find(|decided| decided.ask == ask.id) {
            text += &format!("\n  {DIM}{}{DIM:#}", runs::decision_line(decided));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{ApprovalsCommand, answered_run_line, answered_runs, question_lines};
    use crate::identify::short;
    use crate::runs::fixture::{self, at};
    use pml::{Answer, Decision, Journal, MemoryJournal, approval::AskKind, text::Redactor};

    #[tokio::test(flavor = "current_thread")]
    async fn what_was_answered_and_nobody_goes_on_with_is_told_with_the_command() {
        let journal = MemoryJournal::new();
        let (question, lease) = fixture::waiting(&journal, AskKind::ToolPermission).await;
        let (_open, other) = fixture::waiting(&journal, AskKind::ToolPermission).await;
        drop(other);
        let answer = Answer::all(&question, Decision::Approve, "ann", "command line");
        journal.answer(question.id, answer, at(1_000)).await.unwrap();
        assert_eq!(answered_runs(&journal, at(2_000)).await.unwrap(), [], "its owner goes on");
        drop(lease);
        let runs = answered_runs(&journal, at(2_000)).await.unwrap();
        assert_eq!(runs.iter().map(|run| run.run).collect::<Vec<_>>(), [question.run]);
        let line = answered_run_line(&runs[0]);
        assert!(line.contains(&format!("`pml run --resume {}`", short(question.run))), "{line}");
        assert!(line.contains("report\\u{1b}.ts"), "{line}");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn an_open_question_says_what_waits_and_until_when() {
        let journal = MemoryJournal::new();
        let (question, _lease) = fixture::waiting(&journal, AskKind::UncertainCall).await;
        let open = journal.questions(None, at(60_450)).await.unwrap();
        let redactor = Redactor::new();
        let text = anstream::adapter::strip_str(&question_lines(
            &open[0],
            100,
            at(60_450),
            &|_| Vec::new(),
            &redactor,
        ))
        .to_string();
        assert!(text.starts_with(&question.id.to_string()), "{text}");
        assert!(text.contains("asked 1m ago, expires in 4m"), "{text}");
        assert!(
            text.contains(
                "call AGAIN with │ {\"to\":\"Ann\",\"amount\":5,\"token\":\"[hidden: 3 characters]\"}"
            ),
            "{text}"
        );
        assert!(text.contains("outcome unknown │ `bank:*` asks"), "{text}");
        for width in [80, 200] {
            let shown = question_lines(&open[0], width, at(60_450), &|_| Vec::new(), &redactor);
            let shown =
                shown.replace('\u{1b}', "␛").replace(&question.id.to_string(), "[question]");
            let shown = shown.replace(&short(question.run), "[run]");
            match width {
                80 => pml_kit::insta::assert_snapshot!(shown, @r#"
                ␛[1m[question]␛[0m
                  ␛[2mrun [run], asked 1m ago, expires in 4m␛[0m
                  script │ report.ts
                  tool            │ bank:pay
                  call AGAIN with │ {"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}
                  outcome unknown │ `bank:*` asks
                  digest          │ 233cd7700990
                "#),
                _ => pml_kit::insta::assert_snapshot!(shown, @r#"
                ␛[1m[question]␛[0m
                  ␛[2mrun [run], asked 1m ago, expires in 4m␛[0m
                  script │ report.ts
                  tool            │ bank:pay
                  call AGAIN with │ {"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}
                  outcome unknown │ `bank:*` asks
                  digest          │ 233cd7700990
                "#),
            }
        }
        let all = ApprovalsCommand { verbose: true, reveal: false, json: false };
        let text = question_lines(
            &open[0],
            100,
            at(60_450),
            &|ask| all.detail_lines(ask, &redactor),
            &redactor,
        );
        assert!(text.contains("\n    │   \"token\": \"[hidden: 3 characters]\""), "{text}");
    }
}
