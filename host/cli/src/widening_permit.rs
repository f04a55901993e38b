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
    Clock, Code, Environment, Error, Journal, RunId, SystemClock,
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

/// The agent that runs the command, if there is one. An environment variable shows it.
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
    pub(super) fn detect() -> Result<(CallingAgent, Option<Error>)> {
        let environment = Environment::of_process();
        let Some(variable) = agent_variable(&environment) else {
            return Ok((CallingAgent::Absent, None));
        };
        let root = locate(&project::current_folder()?, &environment);
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
pub(super) fn request(command: &str, yes: bool) -> Result<WideningPermit> {
    let permit = refuse_agents(command)?;
    permit.require_person(command, yes)
}

/// Permits a command if no agent runs it. For commands that find out later whether they widen
/// anything.
pub(super) fn refuse_agents(command: &str) -> Result<WideningPermit> {
    let (agent, settings_error) = CallingAgent::detect()?;
    let CallingAgent::Refused(variable) = agent else {
        return Ok(WideningPermit { channel: agent.channel() });
    };
    let reason = format!("`{command}`: an agent runs the command: `{variable}` is set");
    let (who, channel) = (user(), agent.channel());
    let attempt = AuditEvent::Refused { question: None, who, channel, reason };
    if project::has_audit_trail() {
        write_to_trail(&|| project::open_journal(Durability::Process), attempt);
    }
    let verb = if command.starts_with('-') { "give" } else { "run" };
    let message = format!(
        "an agent runs this command (`{variable}` is set), and only a person may {verb} `{command}`"
    );
    // The hint must not say how to get around the refusal.
    let refused = HintedError::new(message, "run it yourself, in a terminal of your own")
        .with_code(Code::AgentRefused);
    Err(match settings_error {
        Some(settings_error) => anyhow::Error::from(settings_error).context(refused),
        None => refused.into(),
    })
}

impl WideningPermit {
    /// Requires a person: a terminal, or `--yes`.
    pub(super) fn require_person(self, command: &str, yes: bool) -> Result<WideningPermit> {
        if yes || person_is_present() {
            return Ok(self);
        }
        let message = format!("`{command}` needs a terminal, or `--yes`");
        let hint = "run it in a terminal, or agree beforehand with `--yes`";
        Err(HintedError::usage(message, hint).with_code(Code::PersonRequired).into())
    }

    /// Records in the audit trail what was widened. Creates the trail if there is none.
    pub(super) fn note(&self, what: impl FnOnce(String, String) -> AuditEvent) {
        write_to_trail(
            &|| project::open_journal(Durability::Process),
            what(user(), self.channel.clone()),
        );
    }

    /// Records the same for a command with this storage: with `--no-journal`, no trail is created.
    fn note_if_stored(
        &self,
        storage: JournalStorage,
        what: impl FnOnce(String, String) -> AuditEvent,
    ) {
        if storage == JournalStorage::OnDisk || project::has_audit_trail() {
            self.note(what);
        }
    }

    /// Records what was widened for one run with this storage.
    pub(super) async fn note_run(
        &self,
        run: RunId,
        storage: JournalStorage,
        what: impl FnOnce(String, String) -> AuditEvent,
    ) {
        if storage == JournalStorage::InMemory && !project::has_audit_trail() {
            return;
        }
        let what = what(user(), self.channel.clone());
        let note = AuditNote::new(SystemClock.now(), Some(run), what);
        let written = async {
            let journal = project::open_journal(Durability::Process)?;
            anyhow::Ok(journal.audit(note).await.map_err(Error::from)?)
        };
        warn_if_unwritten(written.await);
    }

    /// Records that one command treated a project's files as trusted.
    pub(super) fn note_trusted_once(&self, storage: JournalStorage, project: &pml::Project) {
        let folder = project.root.to_string_lossy().into_owned();
        let files: Vec<_> =
            project.digests().map(|(name, digest)| (name.into(), digest.into())).collect();
        if !files.is_empty() {
            self.note_if_stored(storage, |who, channel| AuditEvent::TrustedOnce {
                folder,
                files,
                who,
                channel,
            });
        }
    }

    /// Records changes of a project, from within a runtime.
    pub(super) async fn note_change_async(&self, root: &std::path::Path, changes: Vec<String>) {
        let folder = root.to_string_lossy().into_owned();
        let (who, channel) = (user(), self.channel.clone());
        let what = AuditEvent::Changed { folder, changes, who, channel };
        let note = AuditNote::new(SystemClock.now(), None, what);
        let written = async {
            let journal = project::open_journal(Durability::Process)?;
            anyhow::Ok(journal.audit(note).await.map_err(Error::from)?)
        };
        warn_if_unwritten(written.await);
    }

    /// Records changes of a project's settings.
    pub(super) fn note_change(&self, root: &std::path::Path, changes: Vec<String>) {
        let folder = root.to_string_lossy().into_owned();
        self.note(|who, channel| AuditEvent::Changed { folder, changes, who, channel });
    }
}

/// Records an event that widens nothing, if there is an audit trail.
pub(super) fn note(what: impl FnOnce(String, String) -> AuditEvent) {
    if project::has_audit_trail() {
        let channel = CallingAgent::detect().map_or(CHANNEL.into(), |(agent, _)| agent.channel());
        write_to_trail(&|| project::open_journal(Durability::Process), what(user(), channel));
    }
}

/// Writes to the audit trail. The action has already happened, so a failure only prints a warning.
fn write_to_trail(journal: &dyn Fn() -> Result<Arc<dyn Journal>>, what: AuditEvent) {
    let note = AuditNote::new(SystemClock.now(), None, what);
    let written = journal().and_then(|journal| {
        runtime()?.block_on(journal.audit(note)).map_err(|error| Error::from(error).into())
    });
    warn_if_unwritten(written);
}

fn warn_if_unwritten(written: Result<()>) {
    if let Err(error) = written {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: this could not be written to the audit trail: {error}"
        ));
    }
}

/// Reports whether a person can see a question and answer it.
pub(super) fn person_is_present() -> bool {
    io::stdin().is_terminal() && ui::stderr_is_terminal()
}

/// Trust for one command.
#[derive(Args, Clone, Copy)]
pub(super) struct TrustOnceFlags {
    /// Trust the project's files for this command only, without recording it; needs a terminal, or
    /// `--yes`
    #[arg(long, help_heading = "Approval")]
    trust: bool,
    /// With `--trust`: do not ask, and work without a terminal
    #[arg(long, short, requires = "trust", help_heading = "Approval")]
    yes: bool,
}

impl TrustOnceFlags {
    /// Returns the trust that the command gives to the project's files.
    pub(super) fn files_trust(self) -> Result<ProjectFilesTrust> {
        TrustOnceFlags::trust_from_flags(self.trust, self.yes)
    }

    /// Returns the same for a command that has a `--yes` of its own.
    pub(super) fn trust_from_flags(trust: bool, yes: bool) -> Result<ProjectFilesTrust> {
        match trust {
            true => request("--trust", yes).map(ProjectFilesTrust::ForThisCommand),
            false => Ok(ProjectFilesTrust::AsRecorded),
        }
    }
}
