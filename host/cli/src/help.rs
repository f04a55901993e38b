//! The command `pml help`: shows the help of any command.

use super::arguments::Arguments;
use super::command_error::HintedError;
use super::{ui, usage_error};
use anyhow::Result;
use clap::{Args, CommandFactory};
use std::process::ExitCode;

/// Show the help of a command
#[derive(Args)]
pub(super) struct HelpCommand {
    /// The command, as in `runs show`; the list of all commands without it
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl HelpCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let mut root = Arguments::command();
        root.build();
        let mut command = &root;
        let mut path = "pml".to_owned();
        for name in &self.command {
            let Some(found) = command.find_subcommand(name) else {
                let message = format!("there is no command `{path} {name}`");
                let hint = usage_error::command_hint(name, &path, &root);
                return Err(HintedError::usage(message, hint).into());
            };
            path = format!("{path} {name}");
            command = found;
        }
        let mut command = command.clone();
        let help = match self.command.is_empty() {
            true => command.render_help(),
            false => command.render_long_help(),
        };
        ui::print_help(help.ansi().to_string().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
