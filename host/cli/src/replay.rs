//! The command `pml replay`: runs a program of the journal again and reports where it differs.

use super::execute::runtime;
use super::quantity::counted;
use super::ui::{self, BAD, GOOD};
use super::{identify, project, report};
use clap::Args;
use pml::{Clock, Code, Config, Engine, SystemClock, text::escape};
use std::process::ExitCode;

/// Run a program of the journal again, without calling anything, and say where it would do
/// something else
///
/// Calls are answered from the journal, and every call that the program makes is compared with it.
#[derive(Args)]
pub(super) struct ReplayCommand {
    /// The id of the run, enough of its beginning or end, or `last`
    #[arg(value_name = "ID")]
    id: String,
    /// Print exactly one line of JSON on stdout
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl ReplayCommand {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let journal = project::journal()?;
        // No tool is called, so the project's settings do not matter.
        let mut config = Config::new();
        let engine = Engine::with_journal(config.runs(1), journal.clone())?;
        let replay = runtime()?.block_on(async {
            let run = identify::find_run(&*journal, &self.id, SystemClock.now()).await?.run;
            anyhow::Ok(engine.replay_run(run).await?)
        })?;
        let same = replay.diverged.is_none();
        match (&replay.diverged, self.json) {
            (None, true) => ui::document(&pml::json::to_value(&replay)?)?,
            (Some(_), true) => {
                let message = "the program does not do what its journal says";
                let found = pml::json::to_value(&replay)?;
                report::fail_with_document(found, Code::ReplayDiverged, message)?;
            }
            (None, false) => ui::print(&format!(
                "{GOOD}same{GOOD:#}: {} and {}, as in the journal",
                counted(replay.steps as u64, "step"),
                counted(replay.calls as u64, "call")
            ))?,
            (Some(diverged), false) => {
                let place = match diverged.call {
                    Some(call) => format!("at call {call}"),
                    None => "at its end".into(),
                };
                let guest = match diverged.guest_changed {
                    true => "\nit was made with another guest",
                    false => "",
                };
                ui::print(&format!(
                    "{BAD}different{BAD:#} {place}\n  journal │ {}\n  program │ {}{guest}",
                    escape(&diverged.expected),
                    escape(&diverged.found)
                ))?;
            }
        }
        Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(report::FAILED) })
    }
}
