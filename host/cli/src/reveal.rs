//! Hides secrets in a command's output, or reveals them if the user asks for that.
//!
//! **Invariant:** secrets are revealed only after a warning, and never where an agent runs the
//! command.

use super::project;
use super::report::HintedError;
use super::ui::{self, WARNING};
use anyhow::Result;
use pml::{Code, Environment, Project, project::agent_variable, text::Redactor};

/// The text of the warning.
const WARNING_TEXT: &str = "secrets are shown below, and stay on the screen and in its history";

/// Returns the warning that is printed before secrets are revealed.
pub(super) fn reveal_warning() -> String {
    format!("{WARNING}warning{WARNING:#}: {WARNING_TEXT}")
}

/// The choice to show secrets or to hide them.
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

/// Returns a redactor that hides the values which the current project gives to its servers. With
/// `Reveal::Yes`, returns one that hides nothing.
///
/// # Errors
/// If secrets are to be revealed and an agent runs the command.
pub(super) fn redactor(reveal: Reveal) -> Result<Redactor> {
    let environment = Environment::of_process();
    if reveal == Reveal::Yes {
        if let Some(variable) = agent_variable(&environment) {
            let message = format!(
                "an agent runs this command (`{variable}` is set), and secrets are not shown to agents"
            );
            let hint = "run it yourself, in a terminal of your own";
            return Err(HintedError::new(message, hint).with_code(Code::AgentRefused).into());
        }
        ui::say(&reveal_warning());
        return Ok(Redactor::hiding_nothing());
    }
    // Unreadable project files are no error here: values that look like secrets are hidden in any
    // case.
    let project = Project::load_with_environment(&project::current_folder()?, &environment);
    Ok(project.map(|project| project.redactor()).unwrap_or_default())
}
