//! The check that every command passes before it widens what is trusted, installed or allowed.
//!
//! Takes the command and whether `--yes` was given. Returns a [`WideningPermit`], or refuses.
//!
//! **Invariant:** widening needs a person: a terminal, or `--yes`. **Invariant:** in the shell of a
//! known agent everything is refused, whatever the flags are, and only the attempt is recorded, if
//! there is an audit trail. Only the user's own settings lift that, and no command of pml writes
//! them. **Invariant:** everything that was permitted is recorded in the audit trail; if that
//! fails, a warning is printed.

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

/// The channel that the audit trail names for commands.
const CHANNEL: &str = "command line";

/// Proof that a command may widen what is trusted, installed or allowed.
#[derive(Clone)]
pub(super) struct WideningPermit {
    channel: String,
}

/// Says whether an agent runs the command, recognized by an environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallingAgent {
    /// No agent runs it.
    Absent,
    /// An agent runs it, and the user's own settings permit it to widen.
    Allowed(&'static str),
    /// An agent runs it and may not widen.
    Refused(&'static str),
}

impl CallingAgent {
    /// Detects whether an agent runs this command. If the user's settings cannot be read, the agent
    /// is refused and the error is returned too.
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

    /// Returns the channel for the audit trail.
    pub(super) fn channel(self) -> String {
        match self {
            CallingAgent::Absent => CHANNEL.into(),
            CallingAgent::Allowed(variable) | CallingAgent::Refused(variable) => {
                format!("{CHANNEL}, run by an agent ({variable})")
            }
        }
    }
}

/// Permits a command to widen if a person is present or gave `--yes`, and no agent runs it.
/// `command` is the command as typed, such as `pml add`.
pub(super) fn pass(command: &str, yes: bool) -> Result<WideningPermit> {
    let pass = no_agent(command)?;
    pass.person(command, yes)
}

/// Permits a command if no agent runs it. For commands that find out later whether they widen
/// anything.
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
    // The hint must not say how to get around the refusal.
    let refused = HintedError::new(message, "a person runs it in a terminal of their own");
    Err(match wrong {
        Some(wrong) => anyhow::Error::from(wrong).context(refused),
        None => refused.into(),
    })
}

impl WideningPermit {
    /// Requires a person: a terminal, or `--yes`.
    pub(super) fn person(self, command: &str, yes: bool) -> Result<WideningPermit> {
        if yes || somebody_is_there() {
            return Ok(self);
        }
        let message = format!("`{command}` needs a person, and there is no terminal");
        let hint = "run it in a terminal, or say so with `--yes`";
        Err(HintedError::usage(message, hint).into())
    }

    /// Records in the audit trail what was widened. Creates the trail if there is none.
    pub(super) fn note(&self, what: impl FnOnce(String, String) -> AuditEvent) {
        write(&|| project::store(Durability::Process), what(user(), self.channel.clone()));
    }

    /// Records the same for a command with this storage: with `--no-journal`, no trail is created.
    fn note_kept(&self, kept: JournalStorage, what: impl FnOnce(String, String) -> AuditEvent) {
        if kept == JournalStorage::OnDisk || project::has_trail() {
            self.note(what);
        }
    }

    /// Records that one command treated a project's files as trusted.
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

    /// Records changes of a project's settings.
    pub(super) fn note_change(&self, root: &std::path::Path, changes: Vec<String>) {
        let folder = root.to_string_lossy().into_owned();
        self.note(|who, channel| AuditEvent::Changed { folder, changes, who, channel });
    }
}

/// Records an event that widens nothing, if there is an audit trail.
pub(super) fn note(what: impl FnOnce(String, String) -> AuditEvent) {
    if project::has_trail() {
        let channel = CallingAgent::here().map_or(CHANNEL.into(), |(around, _)| around.channel());
        write(&|| project::store(Durability::Process), what(user(), channel));
    }
}

/// Writes to the audit trail. The action has already happened, so a failure only prints a warning.
fn write(journal: &dyn Fn() -> Result<Arc<dyn Journal>>, what: AuditEvent) {
    let note = AuditNote::new(SystemClock.now(), None, what);
    let noted = journal().and_then(|journal| {
        runtime()?.block_on(journal.audit(note)).map_err(|error| Error::from(error).into())
    });
    if let Err(error) = noted {
        ui::say(&format!("{WARNING}warning{WARNING:#}: not in the audit trail: {error}"));
    }
}

/// Reports whether a person can see a question and answer it.
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
    /// Returns whether the command trusts the project's files.
    pub(super) fn files(self) -> Result<ProjectFilesTrust> {
        TrustOnceFlags::said(self.trust, self.yes)
    }

    /// Returns the same for a command that has a `--yes` of its own.
    pub(super) fn said(trust: bool, yes: bool) -> Result<ProjectFilesTrust> {
        match trust {
            true => pass("--trust", yes).map(ProjectFilesTrust::ForThisCommand),
            false => Ok(ProjectFilesTrust::AsRecorded),
        }
    }
}
