//! The `pml` command. Takes the command line; writes results to stdout, everything else to stderr,
//! and returns an exit code. **Invariant:** only `ui.rs` writes to stdout and stderr.

mod add;
mod always_choices;
mod approvals;
mod approve;
mod arguments;
mod audit;
mod call;
mod check;
#[cfg(test)]
mod command_reference;
mod completions;
mod console;
mod doctor;
mod execute;
mod facts;
mod identify;
mod import;
mod init;
mod install;
mod log;
mod media;
mod moment;
mod notices;
mod older_journal;
mod progress;
mod project;
mod project_context;
mod project_reloader;
mod prompt;
mod quantity;
mod remove;
mod replay;
mod report;
mod reveal;
mod runs;
mod server_query;
mod servers;
mod stdio;
mod table;
mod terminal;
mod tools;
mod trust;
mod types;
mod ui;
mod user_name;
mod version;
mod watch;
mod widening_permit;
mod wrap;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return report::usage(&error),
    };
    if let Some(folder) = &arguments.state_dir {
        pml::Environment::choose_state_folder(folder);
    }
    if let Err(error) = log::start(arguments.log_format) {
        return report::error(&error.into());
    }
    // `pml stdio` handles signals itself, so it runs before the handler for Ctrl-C is installed.
    if let Command::Stdio(command) = arguments.command {
        return command.run().unwrap_or_else(|error| report::error(&error));
    }
    let done = execute::end_on_interrupt().and_then(|()| match arguments.command {
        Command::Stdio(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Eval(command) => command.run(),
        Command::Approvals(command) => command.run(),
        Command::Approve(command) => command.run(),
        Command::Audit(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Runs(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Trust(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Add(command) => command.run(),
        Command::Remove(command) => command.run(),
        Command::Install(command) => command.run(),
        Command::Servers(command) => command.run(),
        Command::Tools(command) => command.run(),
        Command::Call(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Types(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Version(command) => command.run(),
        Command::Completions(command) => command.run(),
    });
    done.unwrap_or_else(|error| report::error(&error))
}
