//! The command line: all commands and their flags, parsed by clap.

use super::interrupt::WayOn;
use super::log::LogFormat;
use super::output::ColorMode;
use super::quantity::{Lifetime, durability, journal_size, lifetime, memory, parse_duration, seed};
use super::run_policy::RunPolicyFlags;
use super::{
    add, approvals, approve, audit, cache, call, check, completions, doctor, help, import, init,
    install, lock, package_files, remove, replay, runs, servers, stdio, tools, trust, types,
    version,
};
use crate::lock_flags::LockFlags;
use crate::widening_permit::TrustOnceFlags;
use clap::{Args, Parser, Subcommand};
use pml::journal::Durability;
use pml::text::in_one_line;
use std::{path::PathBuf, time::Duration};

/// Run agent-written JavaScript and TypeScript in a sandbox that reaches the world only through MCP tools you allow
#[derive(Parser)]
#[command(
    name = "pml",
    version,
    about,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "`pml help COMMAND` tells more about a command."
)]
pub(super) struct Arguments {
    /// Omit notices and progress; errors stay
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    quiet: bool,
    /// Say more: each call with the time it took
    #[arg(long, short, global = true, help_heading = "Global options")]
    verbose: bool,
    /// Use colours: auto, always or never
    ///
    /// `auto` uses them on a terminal. `NO_COLOR` turns them off, `CLICOLOR_FORCE` on.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Global options"
    )]
    color: ColorMode,
    /// Keep journals, trust and keys in this folder, not in your state folder
    ///
    /// It must be yours alone (mode 700), and lie outside of the project and of repositories around
    /// it. Without the flag the first of these counts: `PML_STATE_DIR`, `$XDG_STATE_HOME/pml`,
    /// `~/.local/state/pml`.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        value_hint = clap::ValueHint::DirPath,
        help_heading = "Global options"
    )]
    pub(super) state_dir: Option<PathBuf>,
    /// Write the log, which `PML_LOG` turns on, as text or as one JSON object a line
    ///
    /// The log goes to stderr. `PML_LOG` is a level (off, error, warn, info, debug, trace) or
    /// levels of parts of pml, as in `info,pml::call=debug`. Without it the level is warn.
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Global options"
    )]
    pub(super) log_format: LogFormat,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    Run(RunCommand),
    Eval(EvalCommand),
    Stdio(stdio::StdioCommand),
    Runs(runs::RunsCommand),
    Approvals(approvals::ApprovalsCommand),
    Approve(approve::ApproveCommand),
    Audit(audit::AuditCommand),
    Replay(replay::ReplayCommand),
    Init(init::InitCommand),
    Trust(trust::TrustCommand),
    Import(import::ImportCommand),
    Add(add::AddCommand),
    Remove(remove::RemoveCommand),
    Install(install::InstallCommand),
    Lock(lock::LockCommand),
    Upgrade(lock::LockUpdateCommand),
    Cache(cache::CacheCommand),
    Servers(servers::ServersCommand),
    Tools(tools::ToolsCommand),
    Call(call::CallCommand),
    Check(check::CheckCommand),
    Types(types::TypesCommand),
    Doctor(doctor::DoctorCommand),
    Version(version::VersionCommand),
    Completions(completions::CompletionsCommand),
    Help(help::HelpCommand),
    #[command(hide = true)]
    PackageFiles(package_files::PackageFilesCommand),
}

impl Command {
    /// Returns what is said about going on if the command is interrupted before it says otherwise.
    pub(super) fn way_on(&self) -> WayOn {
        let again =
            |command: &str, state: &str| WayOn::Hint(format!("{state}: run `pml {command}` again"));
        match self {
            Command::Run(RunCommand { watch: true, file: Some(file), .. }) => {
                WayOn::Watch(in_one_line(&file.to_string_lossy()))
            }
            Command::Stdio(_) => WayOn::End,
            Command::Run(_) | Command::Eval(_) | Command::Call(_) => {
                WayOn::Hint("no call was made: run it again".into())
            }
            Command::Approve(_) => again("approvals", "if the answer was not recorded, it is open"),
            Command::Install(_) => again("install", "no package is left half-installed"),
            Command::Upgrade(_) => again("upgrade", "the lock is written as a whole or not at all"),
            Command::Lock(_) => again("lock", "the lock is written as a whole or not at all"),
            Command::Cache(_) => {
                again("cache prune", "a package is removed as a whole or not at all")
            }
            Command::Trust(_) => {
                again("trust --show", "trust is recorded as a whole or not at all")
            }
            Command::Init(_) => again("init", "it does what is left"),
            Command::Import(_) => again("import", SETTINGS_ARE_WHOLE),
            Command::Add(_) => again("add", SETTINGS_ARE_WHOLE),
            Command::Remove(_) => again("remove", SETTINGS_ARE_WHOLE),
            _ => WayOn::run_again(),
        }
    }
}

const SETTINGS_ARE_WHOLE: &str = "`.pml.json` is changed as a whole or not at all";

/// Run a program
///
/// The program is a function body (`return`, top-level `await`, or a last expression whose value is
/// the result) or an ES module whose default export is the result. It sees `mcp`, `inputs`,
/// `console` and the language; no files, no network.
///
/// The run is journalled in your state folder: it survives a crash, and waits for a person's
/// approval as long as it must. Where nobody can be asked, it says how to go on and exits with 4.
///
/// Exit codes: 0 success, 1 the program failed, 2 wrong usage or settings, 3 broken pipe, 4 waiting
/// for approval, 128 + n ended by signal n (130 Ctrl-C, 143 SIGTERM), 255 pml is broken.
#[derive(Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(super) struct RunCommand {
    /// The file to run (.ts, .mts, .js, .mjs), or - for stdin
    #[arg(
        value_name = "FILE",
        value_hint = clap::ValueHint::FilePath,
        required_unless_present = "resume"
    )]
    pub(super) file: Option<PathBuf>,
    /// Take up an earlier run: with FILE, the mended program makes no call again that it made
    /// before; without, the run itself goes on where it was cut off
    #[arg(long, value_name = "RUN", conflicts_with_all = ["watch", "no_journal"])]
    pub(super) resume: Option<String>,
    #[command(flatten)]
    pub(super) options: RunOptions,
    /// Run again whenever the program or one of its modules changes
    #[arg(long, short)]
    pub(super) watch: bool,
}

const RUN_EXAMPLES: &str = "\
Examples:
  pml run report.ts --inputs '{\"month\": \"2026-11\"}'
  pml run report.ts --json > report.json
  pml run --resume last";

/// Run a program given as text
#[derive(Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub(super) struct EvalCommand {
    /// The program, in TypeScript
    #[arg(value_name = "CODE")]
    pub(super) code: String,
    #[command(flatten)]
    pub(super) options: RunOptions,
}

const EVAL_EXAMPLES: &str = "\
Examples:
  pml eval '6 * 7'
  pml eval 'await mcp.files.list({ path: \".\" })' --allow 'files:list'
  pml eval 'import { n } from \"./n.ts\"; export default n' --workspace lib";

/// What both ways of running share.
#[derive(Args, Clone)]
pub(super) struct RunOptions {
    /// Give the program its `inputs`: JSON, or @FILE with JSON in it
    #[arg(long, value_name = "JSON|@FILE")]
    pub(super) inputs: Option<String>,
    /// Let relative imports reach this folder; a program without a file imports from it
    ///
    /// Without it, a file imports from its repository or project, and a program given as text from
    /// the current folder.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(super) workspace: Option<PathBuf>,
    /// Draw random numbers from this seed: a whole number, or 64 hex digits
    #[arg(long, value_name = "SEED", value_parser = seed)]
    pub(super) seed: Option<[u8; 32]>,
    /// Print exactly one line of JSON on stdout: the result, or an object with `error`
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
    /// Stop after this much CPU time of the program and of reading its values (500ms, 2s, 5m)
    /// [default: 10s]
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        allow_hyphen_values = true,
        help_heading = "Limits"
    )]
    pub(super) cpu_time: Option<Duration>,
    /// Stop after this long in all [default: 5m]
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        allow_hyphen_values = true,
        help_heading = "Limits"
    )]
    pub(super) timeout: Option<Duration>,
    /// Stop when the program needs more memory (32M, 1G) [default: 64M]
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = memory,
        allow_hyphen_values = true,
        help_heading = "Limits"
    )]
    pub(super) memory: Option<usize>,
    /// Stop when the journal would keep more of the run (16M, 1G) [default: 256M]
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = journal_size,
        allow_hyphen_values = true,
        help_heading = "Limits"
    )]
    pub(super) journal_size: Option<usize>,
    /// Keep the journal in memory: nothing is written, and the run is forgotten with this process
    #[arg(long, help_heading = "Journal")]
    pub(super) no_journal: bool,
    /// What the journal survives: `process` a kill of pml, `power` a power cut too [default:
    /// process]
    #[arg(long, value_name = "LEVEL", value_parser = durability, help_heading = "Journal")]
    pub(super) durability: Option<Durability>,
    #[command(flatten)]
    pub(super) policy: RunPolicyFlags,
    /// How long a question can be answered (30s, 5m, 2h, never) [default: 5m]
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = lifetime,
        allow_hyphen_values = true,
        help_heading = "Approval"
    )]
    pub(super) approval_timeout: Option<Lifetime>,
    #[command(flatten)]
    pub(super) once: TrustOnceFlags,
    #[command(flatten)]
    pub(super) lock: LockFlags,
}

#[cfg(test)]
mod tests {
    use super::{Arguments, WayOn};
    use clap::{CommandFactory, Parser};

    #[test]
    fn every_command_says_how_to_go_on_after_an_interrupt() {
        let way = |line: &str| {
            let parsed = Arguments::try_parse_from(line.split(' '));
            parsed.unwrap_or_else(|error| panic!("{line}: {error}")).command.way_on()
        };
        for line in ["pml run x.ts", "pml eval 1", "pml call a:b"] {
            assert_eq!(way(line), WayOn::Hint("no call was made: run it again".into()));
        }
        for (line, command) in [
            ("pml approve last", "`pml approvals`"),
            ("pml install", "`pml install`"),
            ("pml trust", "`pml trust --show`"),
            ("pml init", "`pml init`"),
            ("pml import", "`pml import`"),
            ("pml add a -- b", "`pml add`"),
            ("pml remove a", "`pml remove`"),
        ] {
            let way = way(line);
            assert!(matches!(&way, WayOn::Hint(hint) if hint.contains(command)), "{way:?}");
        }
        for line in ["pml doctor", "pml tools", "pml servers", "pml check x.ts", "pml audit"] {
            assert_eq!(way(line), WayOn::run_again());
        }
        assert_eq!(way("pml run -w x.ts"), WayOn::Watch("x.ts".into()));
        assert_eq!(way("pml stdio"), WayOn::End);
    }

    #[test]
    fn flags_and_commands_do_not_clash() {
        Arguments::command().debug_assert();
    }
}
