//! The command `pml runs`: its subcommands and flags.

use super::adopt::{self, RunsAdoptCommand};
use super::{list, show};
use crate::execute::runtime;
use crate::quantity::{counted, parse_duration, shown_count};
use crate::reveal::{Reveal, redactor};
use crate::terminal::width_of_stdout;
use crate::ui::{self, HINT};
use crate::{identify, project};
use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use pml::json::json;
use pml::{
    Clock, Error, Journal, SystemClock, Timestamp,
    journal::{PruneRule, RunFilter, RunState},
};
use std::process::ExitCode;
use std::time::Duration;

/// List runs, show one, delete old ones, or take over those of a project that was moved
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RunsCommand {
    #[command(subcommand)]
    command: Option<RunsSubcommand>,
    #[command(flatten)]
    list: RunsListCommand,
}

#[derive(Subcommand)]
enum RunsSubcommand {
    List(RunsListCommand),
    Show(RunsShowCommand),
    Prune(RunsPruneCommand),
    Adopt(RunsAdoptCommand),
}

/// List runs, newest first
#[derive(Args)]
pub(super) struct RunsListCommand {
    /// Only runs in this state; may be given several times
    #[arg(long, value_name = "STATE", value_parser = states())]
    pub(super) state: Vec<RunState>,
    /// Only runs whose script has this in its name
    #[arg(long, value_name = "TEXT")]
    pub(super) script: Option<String>,
    /// Show at most this many
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = shown_count,
        allow_hyphen_values = true
    )]
    pub(super) limit: u64,
    /// Print one JSON array, with whole ids
    #[arg(long)]
    pub(super) json: bool,
}

/// Show what a run did, call by call
#[derive(Args)]
struct RunsShowCommand {
    /// The id of the run, enough of its beginning or end, or `last`
    #[arg(value_name = "ID")]
    id: String,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Delete runs that have ended
///
/// Without flags, follows the rule that pml follows by itself: the last 1000 runs are kept, for 30
/// days.
#[derive(Args)]
struct RunsPruneCommand {
    /// Keep this many of the newest runs
    #[arg(long, value_name = "N")]
    keep: Option<u64>,
    /// Delete runs that ended longer ago than this (12h, 30d)
    #[arg(long, value_name = "DURATION", value_parser = age)]
    older_than: Option<Duration>,
    /// Delete all runs that have ended
    #[arg(long, conflicts_with_all = ["keep", "older_than"])]
    all: bool,
    /// Delete interrupted runs too
    #[arg(long)]
    interrupted: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

fn states() -> impl TypedValueParser<Value = RunState> {
    let names = PossibleValuesParser::new(RunState::ALL.iter().map(|state| state.as_str()));
    names.try_map(|name| name.parse::<RunState>())
}

impl RunsCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        if let Some(RunsSubcommand::Adopt(command)) = self.command {
            return command.run();
        }
        let journal = project::journal()?;
        runtime()?.block_on(self.run_with(&*journal, SystemClock.now()))
    }

    async fn run_with(self, journal: &dyn Journal, now: Timestamp) -> Result<ExitCode> {
        match self.command {
            None => list(&self.list, journal, now).await?,
            Some(RunsSubcommand::List(command)) => list(&command, journal, now).await?,
            Some(RunsSubcommand::Show(RunsShowCommand { id, json })) => {
                let summary = identify::find_run(journal, &id, now).await?;
                let shown = show::RunDetails::load(journal, summary, now).await?;
                let redactor = redactor(Reveal::No)?;
                match json {
                    true => ui::document(&shown.json(&redactor))?,
                    false => ui::print(&shown.lines(now, &redactor).join("\n"))?,
                }
            }
            // `run` handles this subcommand, because it opens journals of its own.
            Some(RunsSubcommand::Adopt(command)) => return command.run(),
            Some(RunsSubcommand::Prune(command)) => {
                let count = journal.prune(command.rule(), now).await.map_err(Error::from)?;
                match command.json {
                    true => ui::document(&json!({ "forgotten": count }))?,
                    false => ui::print(&forgotten(count))?,
                }
                if command.is_bare() {
                    let (kept, days) = (PruneRule::KEEP, PruneRule::AGE.as_secs() / 86_400);
                    ui::say(&format!(
                        "without flags, the last {kept} runs are kept, for {days} days\n\
                         {HINT}hint{HINT:#}: `--older-than 7d`, `--keep 10` or `--all` deletes more"
                    ));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl RunsPruneCommand {
    /// Reports whether nothing is said about which runs are meant.
    fn is_bare(&self) -> bool {
        !self.all && self.keep.is_none() && self.older_than.is_none()
    }

    fn rule(&self) -> PruneRule {
        let mut rule = PruneRule::default();
        match (self.all, self.keep, self.older_than) {
            (true, ..) => rule.keep = Some(0),
            (_, None, None) => rule = PruneRule::by_default(),
            (_, keep, older_than) => (rule.keep, rule.older_than) = (keep, older_than),
        }
        rule.interrupted |= self.interrupted;
        rule
    }
}

/// Parses how long ago a run ended.
fn age(text: &str) -> Result<Duration, String> {
    let examples = "write a duration as `12h` or `30d`";
    let of_days =
        |reason: String| if reason.starts_with("write") { examples.into() } else { reason };
    parse_duration(text).map_err(of_days)
}

fn forgotten(count: u64) -> String {
    match count {
        0 => "there is nothing to delete".into(),
        count => format!("{} deleted", counted(count, "run")),
    }
}

async fn list(command: &RunsListCommand, journal: &dyn Journal, now: Timestamp) -> Result<()> {
    let mut filter = RunFilter::default();
    filter.states.clone_from(&command.state);
    filter.script.clone_from(&command.script);
    filter.limit = Some(command.limit);
    let runs = journal.runs(filter, now).await.map_err(Error::from)?;
    match command.json {
        true => ui::document(&list::json(&runs))?,
        false if runs.is_empty() => ui::say("there are no runs"),
        false => ui::print(&list::lines(&runs, now, width_of_stdout()).join("\n"))?,
    }
    if !command.json
        && let Some(hint) = adopt::hint(!runs.is_empty())
    {
        ui::say(&hint);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::RunsPruneCommand;
    use std::time::Duration;

    #[test]
    fn only_what_was_asked_for_is_forgotten() {
        let rule = |all, keep, older_than| {
            let forget =
                RunsPruneCommand { all, keep, older_than, interrupted: false, json: false };
            let rule = forget.rule();
            (rule.keep, rule.older_than)
        };
        let day = Duration::from_secs(86_400);
        assert_eq!(rule(true, None, None), (Some(0), None));
        assert_eq!(rule(false, Some(3), None), (Some(3), None));
        assert_eq!(rule(false, None, Some(day)), (None, Some(day)));
        assert_eq!(rule(false, None, None), (Some(1_000), Some(30 * day)));
    }
}
