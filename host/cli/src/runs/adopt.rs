//! The command `pml runs adopt`: takes over the journal of a project that was moved.
//!
//! A journal is found by its project's path. After a move the user must say so here. pml never
//! guesses, since whoever has a journal has its open questions and decisions.

use crate::execute::runtime;
use crate::moment::ago;
use crate::output::{self, OutputFormat};
use crate::quantity::counted;
use crate::report::HintedError;
use crate::table::{TableCell, table};
use crate::terminal::{Terminal, width_of_stdout};
use crate::ui::{self, BOLD, DIM, HINT, WARNING};
use crate::user_name::user;
use crate::{project, report, widening_permit};
use anyhow::Result;
use clap::Args;
use pml::json::json;
use pml::{
    Clock, Code, Environment, Error, Journal, Store, SystemClock, Timestamp,
    journal::{
        AuditEvent, AuditNote, Durability, JournalImportError, JournalOverview, OwnershipProof,
    },
    project::{OrphanedJournal, ProjectJournal, agent_variable},
    text::escape,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Most journals that are listed.
const MAX_LISTED: usize = 50;

/// Take over the runs of this project from the path where it was before
///
/// Journals are kept in your state folder, by the path of their project. After you move a project,
/// this command finds its runs again. Without OLD_PATH it lists the journals whose project does not
/// exist any more, and asks which one to take over. Trust is not taken over: run `pml trust` again.
#[derive(Args)]
pub(super) struct RunsAdoptCommand {
    /// Where the project was
    #[arg(value_name = "OLD_PATH", value_hint = clap::ValueHint::DirPath)]
    old: Option<PathBuf>,
    /// Do not ask
    #[arg(long, short, requires = "old")]
    yes: bool,
    /// Print exactly one line of JSON on stdout: the journals, or the one that was `adopted`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl RunsAdoptCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (project_journal, now) = (project::project_journal()?, SystemClock.now());
        let Some(old) = &self.old else { return choose(&project_journal, now) };
        // This check comes before any output about existing journals.
        widening_permit::refuse_agents("pml runs adopt")?;
        let Some(orphan) = project_journal.find_by_path(old) else {
            let message =
                format!("no journal belongs to a project at this path: {}", path_text(old));
            return Err(HintedError::new(
                message,
                "`pml runs adopt` lists the journals whose project does not exist any more",
            )
            .into());
        };
        adopt(
            &project_journal,
            &orphan,
            now,
            if self.yes { Consent::Given } else { Consent::Asked },
        )
    }
}

/// The consent of a person: given already, or to be asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consent {
    Given,
    Asked,
}

/// Lists the journals that can be adopted and, on a terminal, asks which one.
fn choose(project_journal: &ProjectJournal, now: Timestamp) -> Result<ExitCode> {
    let orphans: Vec<_> =
        project_journal.orphaned_journals().into_iter().take(MAX_LISTED).collect();
    if orphans.is_empty() {
        ui::say("every journal belongs to a project that still exists");
        ui::document(&json!({ "journals": [] }))?;
        return Ok(ExitCode::SUCCESS);
    }
    ui::print(&lines(&orphans, now).join("\n"))?;
    if output::format() == OutputFormat::Json {
        let paths: Vec<_> = orphans.iter().map(|one| one.path.to_string_lossy()).collect();
        ui::document(&json!({ "journals": paths }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let agent = agent_variable(&Environment::of_process());
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let (Some(terminal), None) = (terminal, agent) else {
        ui::say(&format!("{HINT}hint{HINT:#}: `pml runs adopt OLD_PATH` takes one over"));
        return Ok(ExitCode::SUCCESS);
    };
    for journal in &orphans {
        let question = format!("take over the journal of {}?", path_text(&journal.path));
        if terminal.confirm(&question)? {
            return adopt(project_journal, journal, now, Consent::Given);
        }
    }
    Ok(report::declined("nothing was taken over")?)
}

fn lines(orphans: &[OrphanedJournal], now: Timestamp) -> Vec<String> {
    let mut rows =
        vec![["PROJECT", "RUNS", "LAST USED"].map(|title| TableCell::styled(title, BOLD)).into()];
    rows.extend(orphans.iter().map(|journal| {
        let (runs, last) = match Store::overview(&journal.folder, now) {
            Ok(JournalOverview { runs, last_activity: last, .. }) => {
                (runs.to_string(), last.map_or("-".into(), |last| ago(last, now)))
            }
            Err(_) => ("?".into(), "cannot be read".into()),
        };
        vec![
            TableCell::plain(path_text(&journal.path)),
            TableCell::plain(runs),
            TableCell::styled(last, DIM),
        ]
    }));
    table(&rows, width_of_stdout())
}

/// Asks a person to confirm unless they already have. Refuses in an agent's shell, and if there is
/// no terminal to ask on.
fn confirm_adoption(orphan: &OrphanedJournal, consent: Consent) -> Result<bool> {
    let permit = widening_permit::refuse_agents("pml runs adopt")?;
    if consent == Consent::Given {
        return Ok(true);
    }
    permit.require_person("pml runs adopt", false)?;
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else {
        let hint = "add `--yes` to take it over without being asked";
        let error = HintedError::new("there is no terminal to ask on", hint);
        return Err(error.with_code(Code::PersonRequired).into());
    };
    let question = format!(
        "{WARNING}pml runs{WARNING:#}: take over the journal of {}?",
        path_text(&orphan.path)
    );
    Ok(terminal.confirm(&question)?)
}

fn adopt(
    project_journal: &ProjectJournal,
    orphan: &OrphanedJournal,
    now: Timestamp,
    consent: Consent,
) -> Result<ExitCode> {
    let here = project_journal.folder();
    check_adoptable(project_journal, orphan, &here, now)?;
    if !confirm_adoption(orphan, consent)? {
        return Ok(report::declined("nothing was taken over")?);
    }
    let heads = project_journal.audit_head_folder();
    let lock = project_journal.lock()?;
    // The state may have changed while the question was open.
    check_adoptable(project_journal, orphan, &here, now)?;
    let replaced = match orphan.folder == here {
        // An earlier adoption was not finished.
        true => None,
        false => {
            let replaced = project_journal.set_aside(&lock)?;
            if let Some(replaced) = &replaced {
                Store::copy_head(&here, replaced, &heads).map_err(Error::from)?;
            }
            Store::copy_head(&orphan.folder, &here, &heads).map_err(Error::from)?;
            replaced
        }
    };
    project_journal.adopt(orphan, &lock)?;
    if orphan.folder != here {
        Store::remove_head(&orphan.folder, &heads).map_err(Error::from)?;
    }
    drop(lock);
    record_adoption(project_journal, orphan, now)?;
    let imported = match &replaced {
        Some(replaced) => import_history(&here, &heads, replaced, now)?,
        None => 0,
    };
    let runs = Store::overview(&here, now).map_err(Error::from)?.runs;
    ui::say(&format!(
        "taken over from {}: {}",
        path_text(&orphan.path),
        counted(runs - imported.min(runs), "run")
    ));
    if imported > 0 {
        ui::say(&format!("{} of this project are kept too", counted(imported, "run")));
    }
    ui::document(&json!({ "adopted": orphan.path.to_string_lossy(), "runs": runs }))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to adopt a journal that is in use or whose project still exists, and if this project has
/// unfinished runs of its own.
fn check_adoptable(
    project_journal: &ProjectJournal,
    orphan: &OrphanedJournal,
    here: &Path,
    now: Timestamp,
) -> Result<()> {
    if !project_journal.orphaned_journals().contains(orphan) {
        let message = format!("the project still exists: {}", path_text(&orphan.path));
        return Err(HintedError::new(
            message,
            "a copy of a project has its own journal; delete or move the other one first",
        )
        .into());
    }
    let theirs = Store::overview(&orphan.folder, now).map_err(Error::from)?;
    if theirs.in_use {
        let message = format!("a process still uses that journal: {}", path_text(&orphan.folder));
        return Err(HintedError::new(message, "end the process first").into());
    }
    if orphan.folder == here {
        return Ok(());
    }
    let ours = Store::overview(here, now).map_err(Error::from)?;
    if ours.in_use || ours.unfinished > 0 {
        let count = counted(ours.unfinished, "run");
        let message = format!("this project has runs of its own that have not ended: {count}");
        let hint = "`pml runs` lists them; finish or abort them first";
        return Err(HintedError::new(message, hint).into());
    }
    Ok(())
}

/// Imports the runs that this project made before the adoption, as history. Returns how many.
fn import_history(here: &Path, heads: &Path, replaced: &Path, now: Timestamp) -> Result<u64> {
    if !replaced.join("state.db").exists() {
        return Ok(0);
    }
    match Store::import(here, heads, replaced, OwnershipProof::StateFolder, now) {
        Ok(imported) => Ok(imported.runs),
        Err(JournalImportError::Failed(error)) => Err(Error::from(error).into()),
        Err(JournalImportError::Refused(_) | JournalImportError::InUse) => {
            ui::say(&format!(
                "{WARNING}warning{WARNING:#}: the earlier runs of this project could not be imported, and are kept in: {}",
                path_text(replaced)
            ));
            Ok(0)
        }
    }
}

fn record_adoption(
    project_journal: &ProjectJournal,
    orphan: &OrphanedJournal,
    now: Timestamp,
) -> Result<()> {
    let store = Store::open_with_heads(
        project_journal.folder(),
        Durability::Process,
        project_journal.audit_head_folder(),
    );
    let store = store.map_err(Error::from)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let what = AuditEvent::Adopted {
        from: text(&orphan.path),
        to: text(project_journal.root()),
        who: user(),
        channel: "command line".into(),
    };
    let noted = runtime()?.block_on(store.audit(AuditNote::new(now, None, what)));
    Ok(noted.map_err(Error::from)?)
}

/// Returns a hint if runs may be in the journal of a moved project, otherwise `None`. Folders are
/// deleted every day, so the hint is given only if this project has no runs, or if a deleted folder
/// had the same name.
pub(super) fn hint(has_runs: bool) -> Option<String> {
    let project_journal = project::project_journal().ok()?;
    let name = project_journal.root().file_name();
    let orphans = project_journal.orphaned_journals();
    let same_name = orphans.iter().any(|journal| journal.path.file_name() == name);
    let show = !orphans.is_empty() && (same_name || !has_runs);
    show.then(|| {
        format!(
            "{HINT}hint{HINT:#}: pml has journals of {} that do not exist any more; if this one was moved, \
             `pml runs adopt` finds its runs",
            counted(orphans.len() as u64, "project")
        )
    })
}

fn path_text(path: &Path) -> String {
    escape(&path.to_string_lossy()).replace(['\n', '\t'], " ")
}
