//! What a command hides of what it shows, and showing all of it to whoever says so.
//!
//! **Invariant:** nothing is revealed without a warning, and nothing where an agent runs the
//! command.

use super::project;
use super::report::HintedError;
use super::ui::{self, WARNING};
use anyhow::Result;
use pml::{Environment, Project, project::agent_variable, text::Redactor};

/// Said before secrets are shown.
const SHOWN: &str = "secrets are shown as they are: they stay on the screen and in its history";

/// Returns the warning that comes before everything that is revealed.
pub(super) fn warning() -> String {
    format!("{WARNING}warning{WARNING:#}: {SHOWN}")
}

/// Whether secrets are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reveal {
    No,
    Yes,
}

impl From<bool> for Reveal {
    fn from(flag: bool) -> Reveal {
        if flag { Reveal::Yes } else { Reveal::No }
    }
}

/// Returns what hides the values that the project around the current folder gives to its servers,
/// or what hides nothing.
///
/// # Errors
/// If secrets are to be shown and an agent runs the command.
pub(super) fn redactor(reveal: Reveal) -> Result<Redactor> {
    let environment = Environment::of_process();
    if reveal == Reveal::Yes {
        if let Some(variable) = agent_variable(&environment) {
            let message = format!(
                "an agent runs this command (`{variable}` is set), and secrets are not shown to it"
            );
            let hint = "a person reveals them in a terminal of their own";
            return Err(HintedError::new(message, hint).into());
        }
        ui::say(&warning());
        return Ok(Redactor::revealing());
    }
    // Files that cannot be read are no reason to show nothing: what looks like a secret is hidden
    // in any case.
    let project = Project::load_in(&project::current()?, &environment);
    Ok(project.map(|project| project.redactor()).unwrap_or_default())
}
