//! The command `pml completions`: prints a completion script for a shell.

use super::{arguments::Arguments, ui};
use clap::{Args, CommandFactory};
use std::process::ExitCode;

/// Print a completion script for a shell
///
/// For bash: pml completions bash > ~/.local/share/bash-completion/completions/pml
#[derive(Args)]
pub(super) struct CompletionsCommand {
    /// The shell
    shell: clap_complete::Shell,
}

impl CompletionsCommand {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "pml", &mut script);
        ui::out(String::from_utf8(script)?.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
