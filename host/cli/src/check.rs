//! The command `pml check`: checks programs without running them.

use super::execute::{read_stdin, runtime};
use super::quantity::counted;
use super::report::FAILED;
use super::servers::missing_package;
use super::ui::{self, ERROR, HINT, WARNING};
use crate::project_context::ProjectContext;
use crate::server_query::{about_servers, query_tools, unavailable_reason, warn_untrusted};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::{
    Limits, Script, ToolName, Tools,
    catalog::ToolListing,
    plan::{Finding, PlannedCall, check_script, planned_calls},
    project::{Freshness, UnavailableServer},
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
/// Exit codes: 0 nothing is wrong, 1 something is.
#[derive(Args)]
pub(super) struct CheckCommand {
    /// The files to check (.ts, .mts, .js, .mjs), or - for stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath, required = true)]
    files: Vec<PathBuf>,
    /// Ask the servers themselves
    #[arg(long)]
    refresh: bool,
    /// Print one line of JSON: `findings`, and `unavailable` servers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl CheckCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let context = ProjectContext::open(self.once.files_trust()?)?;
        let scripts =
            self.files.iter().map(|file| script(file)).collect::<Result<Vec<Script>>>()?;
        let calls: Vec<PlannedCall> = scripts.iter().flat_map(calls_of).collect();
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
        let mut findings = Vec::new();
        for script in &scripts {
            findings.extend(check_script(script, Limits::SOURCE, &listing)?);
        }
        warn_untrusted(&context);
        // The tools of an untrusted project's servers are unknown, so the program must not be
        // reported as right.
        let unchecked = !context.project.trust.is_trusted() && !called.is_empty();
        if self.json {
            let findings: Value = findings.iter().map(Finding::json).collect();
            let summary = json!({
                "findings": findings,
                "unavailable": offer.unavailable,
                "not_installed": not_installed,
            });
            ui::out(&summary.to_string())?;
        } else {
            for finding in &findings {
                ui::say(&format!("{ERROR}error{ERROR:#}: {}", finding.report()));
            }
            let is_installed = |one: &&UnavailableServer| !not_installed.contains(&one.server);
            for one in about_servers(&offer.unavailable).filter(is_installed) {
                ui::say(&format!(
                    "{WARNING}warning{WARNING:#}: calls of `{}` are not checked: {}",
                    escape(&one.server),
                    unavailable_reason(one)
                ));
            }
            for name in &not_installed {
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
            let files = counted(self.files.len() as u64, "file");
            ui::print(&match findings.len() {
                0 if unchecked => format!("{files}: calls are not checked"),
                0 => format!("{files} checked: nothing is wrong"),
                count => format!("{files} checked: {}", counted(count as u64, "mistake")),
            })?;
        }
        let is_right = findings.is_empty() && !unchecked;
        Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
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
