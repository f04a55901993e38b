//! Who may widen what is trusted, installed or allowed: one gate, which every command that does so
//! passes first.
//!
//! In flow the command and whether `--yes` was given, out flows a [`WideningPermit`], or a refusal.
//!
//! **Invariant:** what widens needs a person: a terminal, or `--yes`. **Invariant:** in a known
//! agent's shell nothing passes, whatever the flags are, and nothing is written but that it was
//! tried, where there is a trail. Only the user's own settings lift that, which no command of ours
//! writes. **Invariant:** what passed stands in the audit trail; where it cannot, that is said.

use super::execute::{JournalStorage, runtime};
use super::project;
use super::report::HintedError;
use super::ui::{self, WARNING};
use crate::project_context::ProjectFilesTrust;
use crate::user_name::user;
use anyhow::Result;
use clap::Args;
use pml::{
    Clock, Environment, Error, Journal, SystemClock,
    journal::{AuditEvent, AuditNote, Durability},
    project::{UserSettings, agent_variable, locate},
};
use std::io::{self, IsTerminal};
use std::sync::Arc;

/// How what is done here reaches the journal.
const CHANNEL: &str = "command line";

/// That a command may widen.
#[derive(Clone)]
pub(super) struct WideningPermit {
    channel: String,
}

/// Whether an agent runs the command, known by a variable that it set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallingAgent {
    /// None does.
    Absent,
    /// One does, and the user's own settings say that it may widen.
    Allowed(&'static str),
    /// One does, and may not.
    Refused(&'static str),
}

impl CallingAgent {
    /// Sees who runs this command. Why the user's settings could not be read is a reason of its
    /// own.
    pub(super) fn here() -> Result<(CallingAgent, Option<Error>)> {
        let environment = Environment::of_process();
        let Some(variable) = agent_variable(&environment) else {
            return Ok((CallingAgent::Absent, None));
        };
        let root = locate(&project::current()?, &environment);
        Ok(match UserSettings::load(&environment, &root) {
            Ok(settings) if settings.agents_may_widen => (CallingAgent::Allowed(variable), None),
            Ok(_) => (CallingAgent::Refused(variable), None),
            Err(error) => (CallingAgent::Refused(variable), Some(error)),
        })
    }

    /// How what is done is recorded to have come.
    pub(super) fn channel(self) -> String {
        match self {
            CallingAgent::Absent => CHANNEL.into(),
            CallingAgent::Allowed(variable) | CallingAgent::Refused(variable) => {
                format!("{CHANNEL}, run by an agent ({variable})")
            }
        }
    }
}

/// Lets a command widen if a person is there or said `--yes`, and no agent runs it. `command` is
/// what was typed, as `pml add`.
pub(super) fn pass(command: &str, yes: bool) -> Result<WideningPermit> {
    let pass = no_agent(command)?;
    pass.person(command, yes)
}

/// Lets a command go on if no agent runs it: for one that only then finds out whether it widens.
pub(super) fn no_agent(command: &str) -> Result<WideningPermit> {
    let (around, wrong) = CallingAgent::here()?;
    let CallingAgent::Refused(variable) = around else {
        return Ok(WideningPermit { channel: around.channel() });
    };
    let reason = format!("`{command}`: an agent runs the command: `{variable}` is set");
    let (who, channel) = (user(), around.channel());
    let tried = AuditEvent::Refused { question: None, who, channel, reason };
    if project::has_trail() {
        write(&|| project::store(Durability::Process), tried);
    }
    let message = format!(
        "an agent runs this command (`{variable}` is set), and `{command}` is for a person"
    );
    // Who is refused is not told how to get around it.
    let refused = HintedError::new(message, "a person runs it in a terminal of their own");
    Err(match wrong {
        Some(wrong) => anyhow::Error::from(wrong).context(refused),
        None => refused.into(),
    })
}

impl WideningPermit {
    /// Wants a person: at the terminal, or by `--yes`.
    pub(super) fn person(self, command: &str, yes: bool) -> Result<WideningPermit> {
        if yes || somebody_is_there() {
            return Ok(self);
        }
        let message = format!("`{command}` needs a person, and there is no terminal");
        let hint = "run it in a terminal, or say so with `--yes`";
        Err(HintedError::usage(message, hint).into())
    }

    /// Notes in the audit trail what was widened; the trail is made if there is none.
    pub(super) fn note(&self, what: impl FnOnce(String, String) -> AuditEvent) {
        write(&|| project::store(Durability::Process), what(user(), self.channel.clone()));
    }

    /// The same for a command that is kept so: one that leaves nothing behind makes no trail.
    fn note_kept(&self, kept: JournalStorage, what: impl FnOnce(String, String) -> AuditEvent) {
        if kept == JournalStorage::OnDisk || project::has_trail() {
            self.note(what);
        }
    }

    /// Notes that a project's files were taken for trusted by one command.
    pub(super) fn note_once(&self, kept: JournalStorage, project: &pml::Project) {
        let folder = project.root.to_string_lossy().into_owned();
        let files: Vec<_> =
            project.digests().map(|(name, digest)| (name.into(), digest.into())).collect();
        if !files.is_empty() {
            self.note_kept(kept, |who, channel| AuditEvent::TrustedOnce {
                folder,
                files,
                who,
                channel,
            });
        }
    }

    /// Notes what was changed of a project's settings.
    pub(super) fn note_change(&self, root: &std::path::Path, changes: Vec<String>) {
        let folder = root.to_string_lossy().into_owned();
        self.note(|who, channel| AuditEvent::Changed { folder, changes, who, channel });
    }
}

/// Notes in the audit trail what widens nothing, where there is a trail.
pub(super) fn note(what: impl FnOnce(String, String) -> AuditEvent) {
    if project::has_trail() {
        let channel = CallingAgent::here().map_or(CHANNEL.into(), |(around, _)| around.channel());
        write(&|| project::store(Durability::Process), what(user(), channel));
    }
}

/// Writes to the audit trail. What was done is done: if this fails, that is said and no more.
fn write(journal: &dyn Fn() -> Result<Arc<dyn Journal>>, what: AuditEvent) {
    let note = AuditNote::new(SystemClock.now(), None, what);
    let noted = journal().and_then(|journal| {
        runtime()?.block_on(journal.audit(note)).map_err(|error| Error::from(error).into())
    });
    if let Err(error) = noted {
        ui::say(&format!("{WARNING}warning{WARNING:#}: not in the audit trail: {error}"));
    }
}

/// Whether a person sees what is said, and can answer.
pub(super) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && ui::stderr_is_terminal()
}

/// Trust for one command.
#[derive(Args, Clone, Copy)]
pub(super) struct TrustOnceFlags {
    /// Trust the project's files, whatever they say, for this command; no trust is recorded. It
    /// needs a terminal, or `--yes`
    #[arg(long)]
    trust: bool,
    /// With `--trust`: without a terminal
    #[arg(long, requires = "trust")]
    yes: bool,
}

impl TrustOnceFlags {
    /// What the command takes the project's files for.
    pub(super) fn files(self) -> Result<ProjectFilesTrust> {
        TrustOnceFlags::said(self.trust, self.yes)
    }

    /// The same for a command with a `--yes` of its own.
    pub(super) fn said(trust: bool, yes: bool) -> Result<ProjectFilesTrust> {
        match trust {
            true => pass("--trust", yes).map(ProjectFilesTrust::ForThisCommand),
            false => Ok(ProjectFilesTrust::AsRecorded),
        }
    }
}
