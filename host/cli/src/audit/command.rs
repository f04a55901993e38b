//! The command `pml audit`: shows, verifies and accepts the audit trail.

use super::line::lines;
use crate::execute::runtime;
use crate::identify::matching;
use crate::present_fields::present_fields;
use crate::quantity::{counted, parse_duration};
use crate::report::{self, FAILED, HintedError};
use crate::reveal::{Reveal, redactor};
use crate::terminal::{Terminal, width_of_stdout};
use crate::ui::{self, ERROR, HINT, WARNING};
use crate::user_name::user;
use crate::{identify, project};
use anyhow::Result;
use clap::Args;
use pml::json::Value;
use pml::{
    Clock, Code, Environment, Error, Journal, RunId, SystemClock, Timestamp,
    journal::{AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, TrailDefect},
    project::agent_variable,
    text::escape,
};
use std::process::ExitCode;
use std::time::Duration;

/// Number of digits of a hash that are shown.
const HASH_DIGITS: usize = 12;

/// Show who was asked what and how they decided, and verify that nothing of it was changed
///
/// Every question, decision, refused attempt, grant and its lapse, installation, trust and change of
/// settings is an entry. Each entry is hashed with the hash of the one before. The entries are in
/// the project's journal, and their number and last hash in another file, both in your state
/// folder. Entries are never changed or deleted, and have no secrets.
///
/// The whole trail is verified, whatever is shown. Exit codes: 0 unchanged, 1 changed.
#[derive(Args)]
pub(crate) struct AuditCommand {
    /// Only what happened in this run: its id, enough of its beginning or end, or `last`
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Only what happened since then: a time (2026-11-16, 2026-11-16T04:27Z), or how long ago (2h, 7d)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<SinceArgument>,
    /// At most this many: the last ones
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u64>,
    /// Print exactly one line of JSON on stdout: the `entries` with their hashes, and whether all of
    /// them are `verified`
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Accept a changed trail as it is, after you confirm on the terminal; the trail records that
    /// you did
    #[arg(long, conflicts_with_all = ["run", "since", "limit"])]
    accept: bool,
    /// With `--accept`: do not ask
    #[arg(long, short, requires = "accept")]
    yes: bool,
}

/// The value of `--since`: a point in time, or an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SinceArgument {
    At(Timestamp),
    Ago(Duration),
}

fn since(text: &str) -> Result<SinceArgument, String> {
    let at = text.parse::<Timestamp>().map(SinceArgument::At);
    at.or_else(|wrong| {
        parse_duration(text).map(SinceArgument::Ago).map_err(|_| format!("{wrong}, or `7d`"))
    })
}

impl AuditCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let journal = project::audit_journal()?;
        runtime()?.block_on(self.run_with(&*journal, SystemClock.now()))
    }

    async fn run_with(self, journal: &dyn Journal, now: Timestamp) -> Result<ExitCode> {
        if self.accept {
            return accept(journal, now, &|| self.confirm_acceptance()).await;
        }
        let run = match &self.run {
            Some(typed) => Some(find_run(journal, typed, now).await?),
            None => None,
        };
        let since = self.since.map(|since| match since {
            SinceArgument::At(at) => at,
            SinceArgument::Ago(ago) => Timestamp(now.0.saturating_sub(ago.as_micros() as u64)),
        });
        let filter = AuditFilter { run, since, limit: self.limit };
        let trail = journal.audit_trail(filter).await.map_err(Error::from)?;
        let document = self.show(&trail)?;
        match &trail.defect {
            Some(broken) => {
                print_broken(broken);
                let message = format!("the audit trail is not what was written: {broken}");
                report::failed_document(document, Code::AuditBroken, &message)?;
                Ok(ExitCode::from(FAILED))
            }
            None => {
                print_verified(&trail);
                ui::document(&document)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    /// Reports whether a person confirms to accept the trail.
    fn confirm_acceptance(&self) -> Result<bool> {
        if self.yes {
            return Ok(true);
        }
        let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
        let Some(terminal) = terminal else {
            let hint = "add `--yes` to accept it without being asked";
            let error = HintedError::new("there is no terminal to ask on", hint);
            return Err(error.with_code(Code::PersonRequired).into());
        };
        let question =
            format!("{WARNING}pml audit{WARNING:#}: accept the whole trail as it is now?");
        Ok(terminal.confirm(&question)?)
    }

    /// Prints the entries. Returns the document about them.
    fn show(&self, trail: &AuditTrail) -> Result<Value> {
        let redactor = redactor(Reveal::No)?;
        let mut entries = trail.entries.clone();
        entries.iter_mut().for_each(|entry| entry.body = redactor.redact(&entry.body));
        if !self.json && !entries.is_empty() {
            ui::print(&lines(&entries, width_of_stdout()).join("\n"))?;
        }
        Ok(present_fields(pml::json::json!({
            "verified": trail.defect.is_none(),
            "entries": entries.iter().map(json).collect::<Value>(),
            "count": trail.count,
            "head": trail.hash,
            "kept_up_to": trail.anchored,
            "accepted_up_to": trail.accepted,
        })))
    }
}

/// Returns an entry as JSON: the hashed content, in which secrets are hidden, and its hash.
fn json(entry: &AuditEntry) -> Value {
    let mut body = entry.body.clone();
    // An entry that was tampered with may hold any JSON value.
    if !body.is_object() {
        body = pml::json::json!({ "number": entry.number, "unreadable": true });
    }
    body["hash"] = entry.hash.as_str().into();
    body
}

/// Finds a run by its id. A run that is deleted from the journal is found in the trail.
async fn find_run(journal: &dyn Journal, typed: &str, now: Timestamp) -> Result<RunId> {
    if let Ok(run) = typed.parse::<RunId>() {
        return Ok(run);
    }
    let unknown = match identify::find_run(journal, typed, now).await {
        Ok(summary) => return Ok(summary.run),
        Err(unknown) => unknown,
    };
    let trail = journal.audit_trail(AuditFilter::default()).await.map_err(Error::from)?;
    let mut runs: Vec<_> = trail.entries.iter().filter_map(|entry| entry.run).collect();
    runs.sort_unstable();
    runs.dedup();
    match matching(typed, runs, RunId::to_string).as_slice() {
        [run] => Ok(*run),
        _ => Err(unknown),
    }
}

fn print_verified(trail: &AuditTrail) {
    let entries = match trail.count {
        1 => "1 entry".into(),
        count => format!("{count} entries"),
    };
    let head = match trail.hash.get(..HASH_DIGITS) {
        Some(hash) => format!(", head {hash}"),
        None => String::new(),
    };
    ui::say(&format!("verified: {entries}{head}"));
    if let Some(up_to) = trail.accepted {
        ui::say(&format!(
            "the entries up to {up_to} were accepted as they are: an entry says by whom and why"
        ));
    }
    match trail.anchored {
        None if trail.count > 0 => ui::say(&format!(
            "{WARNING}warning{WARNING:#}: its last hash is not in your state folder, so entries may be missing at its \
             end; the folder may have been moved\n\
             {HINT}hint{HINT:#}: `pml audit --accept` records the hash from now on"
        )),
        Some(kept) if kept < trail.count => {
            let more = counted(trail.count - kept, "of them");
            ui::say(&format!("the last {more} were written where the last hash is not kept"));
        }
        _ => {}
    }
}

fn print_broken(broken: &TrailDefect) {
    ui::alert(&format!(
        "{ERROR}error{ERROR:#}: the audit trail was changed: {}\n\
         {HINT}hint{HINT:#}: somebody changed it, or the journal was deleted or restored; if you know why, \
         `pml audit --accept` accepts it as it is",
        escape(&broken.to_string())
    ));
}

/// Accepts the trail as it is after a person confirms. Refuses if an agent runs the command.
async fn accept(
    journal: &dyn Journal,
    now: Timestamp,
    confirm: &dyn Fn() -> Result<bool>,
) -> Result<ExitCode> {
    if let Some(variable) = agent_variable(&Environment::of_process()) {
        let message = format!(
            "an agent runs this command (`{variable}` is set), and only a person may accept a trail"
        );
        let hint = "run it yourself, in a terminal of your own";
        return Err(HintedError::new(message, hint).with_code(Code::AgentRefused).into());
    }
    let trail = journal.audit_trail(AuditFilter::default()).await.map_err(Error::from)?;
    let reason = match (&trail.defect, trail.anchored) {
        (Some(broken), _) => broken.to_string(),
        (None, None) => "its last hash was not in the state folder".into(),
        (None, Some(_)) => {
            ui::say("there is nothing to accept: the trail is unchanged");
            ui::document(&pml::json::json!({ "accepted": false }))?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    ui::alert(&format!("the problem: {}", escape(&reason)));
    if !confirm()? {
        return Ok(report::declined("nothing was accepted")?);
    }
    let (who, channel) = (user(), "command line".into());
    let what = AuditEvent::Accepted { who, channel, reason };
    journal.audit(AuditNote::new(now, None, what)).await.map_err(Error::from)?;
    // The acceptance is valid only if it is recorded outside the project, in the user's state
    // folder.
    let now = journal.audit_trail(AuditFilter::default()).await.map_err(Error::from)?;
    if now.defect.is_some() || now.accepted != Some(now.count) {
        let message = "the acceptance cannot be written to your state folder";
        return Err(HintedError::new(
            message,
            "check whether the folder `audit` in your state folder can be written",
        )
        .into());
    }
    ui::say("accepted: from now on, the trail is compared with its present state");
    ui::document(&pml::json::json!({ "accepted": true }))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::{SinceArgument, find_run, json, since};
    use crate::identify::short;
    use crate::runs::fixture::{self, at};
    use pml::json::Value;
    use pml::{
        Journal, MemoryJournal, Timestamp,
        journal::{AuditFilter, PruneRule},
    };
    use std::time::Duration;

    #[test]
    fn since_is_a_time_or_a_span() {
        assert_eq!(since("2000-02-29"), Ok(SinceArgument::At(Timestamp(951_782_400_000_000))));
        assert_eq!(since("2h"), Ok(SinceArgument::Ago(Duration::from_secs(7_200))));
        assert!(since("yesterday").unwrap_err().ends_with(", or `7d`"));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_run_that_is_forgotten_is_still_found_by_its_end() {
        let journal = MemoryJournal::new();
        let id = fixture::finished(&journal).await;
        let everything = PruneRule { keep: Some(0), ..PruneRule::default() };
        journal.prune(everything, at(0)).await.unwrap();
        assert_eq!(find_run(&journal, &short(id), at(0)).await.unwrap(), id);
        let unknown = find_run(&journal, "ffffffff", at(0)).await.unwrap_err();
        assert_eq!(unknown.to_string(), "there is no run `ffffffff`");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn json_has_what_was_hashed_and_the_hash() {
        let journal = MemoryJournal::new();
        fixture::finished(&journal).await;
        let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
        let shown: Vec<_> = trail.entries.iter().map(json).collect();
        assert_eq!(shown[0]["what"], "asked");
        assert_eq!(shown[1]["hash"], trail.hash);
        assert!(!Value::from(shown).to_string().contains("t0p"));
    }
}
