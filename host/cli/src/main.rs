//! The `pml` command. Takes the command line; writes results to stdout, everything else to stderr,
//! and returns an exit code. **Invariant:** only `ui.rs` writes to stdout and stderr.

mod add;
mod always_choices;
mod approvals;
mod approve;
mod arguments;
mod audit;
mod cache;
mod call;
mod check;
mod command_error;
#[cfg(test)]
mod command_reference;
mod completions;
mod console;
mod doctor;
mod execute;
mod facts;
mod help;
mod identify;
mod import;
mod init;
mod install;
mod interrupt;
mod lock;
mod lock_flags;
mod log;
mod media;
mod moment;
mod notices;
mod older_journal;
mod outcome_json;
mod output;
mod package_files;
mod present_fields;
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
mod run_policy;
mod runs;
mod server_query;
mod servers;
mod signals;
mod stdio;
mod table;
mod terminal;
mod tools;
mod trust;
mod types;
mod ui;
mod usage_error;
mod user_name;
mod version;
mod watch;
mod widening_permit;
mod wrap;

use arguments::{Arguments, Command};
use clap::{CommandFactory, FromArgMatches};
use output::OutputFlags;
use signals::{CaughtSignals, EndingSignals};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let signals = CaughtSignals::catch();
    // The command has one name, whatever its file is called.
    let typed = std::iter::once("pml".into()).chain(std::env::args_os().skip(1));
    let typed: Vec<OsString> = typed.collect();
    OutputFlags::of(&typed).apply();
    let signals = match signals.and_then(CaughtSignals::end_process) {
        Ok(signals) => signals,
        Err(error) => return report::error(&error),
    };
    let mut root = Arguments::command();
    let parsed = root.try_get_matches_from_mut(&typed);
    let arguments = match parsed.and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error::report_usage(&error, &root, &typed),
    };
    if let Some(folder) = &arguments.state_dir {
        pml::Environment::choose_state_folder(folder);
    }
    let done = log::start(arguments.log_format)
        .and_then(|()| command_error::catch_panic(|| run(arguments.command, signals)));
    match done {
        Ok(code) => report::close_document(code),
        Err(error) => report::error(&error),
    }
}

fn run(command: Command, signals: EndingSignals) -> anyhow::Result<ExitCode> {
    interrupt::set_way_on(command.way_on());
    match command {
        Command::Stdio(command) => command.run(signals),
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
        Command::Lock(command) => command.run(),
        Command::Upgrade(command) => command.run("pml upgrade"),
        Command::Cache(command) => command.run(),
        Command::Servers(command) => command.run(),
        Command::Tools(command) => command.run(),
        Command::Call(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Types(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Version(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Help(command) => command.run(),
        Command::PackageFiles(command) => command.run(),
    }
}
