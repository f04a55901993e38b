//! The command `pml check`: checks programs without running them.

use super::command_error::error_report;
use super::execute::{read_stdin, runtime};
use super::output::{self, OutputFormat};
use super::quantity::counted;
use super::report::{self, FAILED};
use super::servers::missing_package;
use super::ui::{self, ERROR, HINT, WARNING};
use crate::project_context::ProjectContext;
use crate::server_query::{about_servers, query_tools, unavailable_reason, warn_untrusted};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::{
    Code, Limits, Script, ToolName, Tools,
    catalog::ToolListing,
    plan::{Finding, PlannedCall, check_script, planned_calls},
    project::{Freshness, UnavailableServer},
    run::ErrorReport,
    text::{escape, fold},
    tool::Resolution,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check programs without running them
///
/// Names of tools, and arguments as far as they are written out, are held against what the servers
/// say. Only what is certainly wrong is found: a value that is computed may be anything. No tool is
/// called.
///
/// What a server said when it last ran is good enough; one that never ran is started and stopped
/// again. Calls of a server that cannot be asked are not checked, which is a warning.
///
/// All files are checked, also after one that cannot be read.
///
/// Exit codes: 0 nothing is wrong, 1 something is.
#[derive(Args)]
pub(super) struct CheckCommand {
    /// The files to check (.ts, .mts, .js, .mjs), or - for stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath, required = true)]
    files: Vec<PathBuf>,
    /// Ask the servers themselves
    #[arg(long)]
    refresh: bool,
    /// Print exactly one line of JSON on stdout: `findings`, files that are `unreadable`, and
    /// `unavailable` servers
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl CheckCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let context = ProjectContext::open(self.once.files_trust()?)?;
        let scripts: Vec<_> = self.files.iter().map(|file| (file, script(file))).collect();
        let readable = scripts.iter().filter_map(|(_, script)| script.as_ref().ok());
        let calls: Vec<PlannedCall> = readable.flat_map(calls_of).collect();
        let called: BTreeSet<String> =
            calls.iter().filter_map(|call| call.server.as_deref()).map(fold).collect();
        let freshness = if self.refresh { Freshness::Live } else { Freshness::CachedOrLive };
        let (offer, not_installed) = runtime()?.block_on(async {
            let wanted = |server: &str| called.contains(&fold(server));
            let offer = query_tools(&context, wanted, freshness).await;
            let mut not_installed = Vec::new();
            for name in context.servers.names().into_iter().filter(|name| wanted(name)) {
                if missing_package(&context.servers, &name).await.is_some() {
                    not_installed.push(name);
                }
            }
            context.servers.close().await;
            (offer, not_installed)
        });
        let listing = with_unlisted_servers(
            &context,
            &calls,
            ToolListing::new(offer.definitions.iter().cloned()),
        );
        let mut result = CheckResult {
            files: self.files.len(),
            unavailable: offer.unavailable,
            not_installed,
            // The tools of an untrusted project's servers are unknown, so the program must not be
            // reported as right.
            unchecked: !context.project.trust.is_trusted() && !called.is_empty(),
            ..CheckResult::default()
        };
        for (file, script) in scripts {
            let checked =
                script.and_then(|script| Ok(check_script(&script, Limits::SOURCE, &listing)?));
            match checked {
                Ok(findings) => result.add_findings(file, findings),
                Err(error) => result.unreadable.push((file.clone(), error_report(&error))),
            }
        }
        warn_untrusted(&context);
        result.report(&calls)?;
        Ok(if result.is_right() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}

/// What was found in all files.
#[derive(Default)]
struct CheckResult {
    /// Number of files that were given.
    files: usize,
    findings: Vec<(PathBuf, Finding)>,
    /// Files that could not be checked at all.
    unreadable: Vec<(PathBuf, ErrorReport)>,
    unavailable: Vec<UnavailableServer>,
    not_installed: Vec<String>,
    /// True if calls could not be checked because the project is not trusted.
    unchecked: bool,
}

impl CheckResult {
    fn add_findings(&mut self, file: &Path, findings: Vec<Finding>) {
        self.findings.extend(findings.into_iter().map(|finding| (file.to_owned(), finding)));
    }

    fn is_right(&self) -> bool {
        self.findings.is_empty() && self.unreadable.is_empty() && !self.unchecked
    }

    /// Prints what was found: each mistake on stderr, the summary last on stdout.
    fn report(&self, calls: &[PlannedCall]) -> Result<()> {
        for (_, finding) in &self.findings {
            ui::alert(&format!("{ERROR}error{ERROR:#}: {}", finding.report()));
        }
        for (_, error) in &self.unreadable {
            ui::alert(&report::error_text(error));
        }
        self.warn_unchecked_calls(calls);
        match (output::format(), self.is_right()) {
            (OutputFormat::Text, _) => ui::print(&self.summary())?,
            (OutputFormat::Json, true) => ui::document(&self.json())?,
            (OutputFormat::Json, false) => {
                report::failed_document(self.json(), Code::CommandFailed, &self.summary())?;
            }
        }
        Ok(())
    }

    fn warn_unchecked_calls(&self, calls: &[PlannedCall]) {
        let is_installed = |one: &&UnavailableServer| !self.not_installed.contains(&one.server);
        for one in about_servers(&self.unavailable).filter(is_installed) {
            ui::say(&format!(
                "{WARNING}warning{WARNING:#}: calls of `{}` are not checked: {}",
                escape(&one.server),
                unavailable_reason(one)
            ));
        }
        for name in &self.not_installed {
            let calls_server = |call: &&PlannedCall| {
                call.server.as_deref().is_some_and(|server| fold(server) == fold(name))
            };
            let count = counted(calls.iter().filter(calls_server).count() as u64, "call");
            let name = escape(name);
            ui::say(&format!(
                "{WARNING}warning{WARNING:#}: {count} not checked: `{name}` is not installed\n\
                 {HINT}hint{HINT:#}: `pml install {name}` installs it"
            ));
        }
    }

    /// Returns the result in one line.
    fn summary(&self) -> String {
        let checked = (self.files - self.unreadable.len()) as u64;
        let unreadable =
            format!("{} cannot be read", counted(self.unreadable.len() as u64, "file"));
        if checked == 0 {
            return unreadable;
        }
        let files = counted(checked, "file");
        let mistakes = match self.findings.len() as u64 {
            0 if self.unchecked => format!("{files}: calls are not checked"),
            0 if self.unreadable.is_empty() => format!("{files} checked: nothing is wrong"),
            count => format!("{files} checked: {}", counted(count, "mistake")),
        };
        match self.unreadable.is_empty() {
            true => mistakes,
            false => format!("{mistakes}; {unreadable}"),
        }
    }

    fn json(&self) -> Value {
        let finding = |(file, finding): &(PathBuf, Finding)| {
            let mut value = finding.json();
            value["file"] = json!(file.to_string_lossy());
            value
        };
        let unreadable = |(file, error): &(PathBuf, ErrorReport)| json!({ "file": file.to_string_lossy(), "error": error });
        json!({
            "findings": self.findings.iter().map(finding).collect::<Value>(),
            "unreadable": self.unreadable.iter().map(unreadable).collect::<Value>(),
            "unavailable": self.unavailable,
            "not_installed": self.not_installed,
        })
    }
}

fn script(file: &Path) -> Result<Script> {
    match file.as_os_str() == "-" {
        true => Ok(Script::ts(read_stdin()?).named("stdin.ts")),
        false => Ok(Script::file(file)),
    }
}

/// Returns the calls of a script. A script that cannot be loaded has none here; `check_script`
/// reports the error later.
fn calls_of(script: &Script) -> Vec<PlannedCall> {
    let program = script.load(Limits::SOURCE);
    program.and_then(|program| planned_calls(&program)).unwrap_or_default()
}

/// Adds servers whose tools are not known, because they were not asked or did not answer: calls of
/// any of their tools pass the check.
fn with_unlisted_servers(
    context: &ProjectContext,
    calls: &[PlannedCall],
    listing: ToolListing,
) -> ToolListing {
    let known: BTreeSet<&str> = listing.iter().map(|definition| definition.tool.server()).collect();
    let declared = context.project.declared.servers.iter().map(|server| server.name.clone());
    let mut unlisted: BTreeSet<String> = declared.filter(|name| !known.contains(&**name)).collect();
    for call in calls {
        let (Some(server), Some(tool)) = (&call.server, &call.tool) else { continue };
        let Ok(name) = format!("{server}:{tool}").parse::<ToolName>() else { continue };
        // The cloud knows the tools of calls that are routed to it.
        if let Resolution::Resolved(found) = context.servers.look_up(&name)
            && !known.contains(found.tool.server())
        {
            unlisted.insert(found.tool.server().to_owned());
        }
    }
    unlisted.into_iter().fold(listing, ToolListing::with_unlisted)
}
