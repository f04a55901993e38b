//! The command `pml tools`: finds tools and prints them.

use super::show;
use crate::execute::runtime;
use crate::project_context::ProjectContext;
use crate::report::{self, FAILED};
use crate::server_query::{query_tools, warn_unavailable, warn_untrusted};
use crate::terminal::width_of_stdout;
use crate::tools::selection::ToolSelection;
use crate::ui::{self, HINT};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::Args;
use pml::json::json;
use pml::{Code, Policy, catalog::browse, project::Freshness, run::ErrorReport};
use std::process::ExitCode;

/// List what programs can call
///
/// Each tool is shown as a program calls it, with what the policy says: `go` it is called, `ask` a
/// person is asked first, `deny` it is refused. What a server said when it last ran is good enough;
/// one that never ran is started and stopped again.
///
/// Exit codes: 0, or 1 if nothing is found.
#[derive(Args)]
pub(crate) struct ToolsCommand {
    /// A server's name, a pattern (`server:prefix_*`), or words to search by
    #[arg(value_name = "PATTERN")]
    wanted: Vec<String>,
    /// Ask the servers themselves
    #[arg(long)]
    refresh: bool,
    /// Print exactly one line of JSON on stdout: `tools` with their schemas, `unavailable` servers
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl ToolsCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let context = ProjectContext::open(self.once.files_trust()?)?;
        let policy = Policy::new(&context.config())?;
        let names: Vec<&str> =
            context.project.declared.servers.iter().map(|server| server.name.as_str()).collect();
        let selection = ToolSelection::new(&self.wanted, &names);
        let freshness = if self.refresh { Freshness::Live } else { Freshness::CachedOrLive };
        let runtime = runtime()?;
        let offer = runtime.block_on(async {
            let offer =
                query_tools(&context, |server| selection.may_include_server(server), freshness)
                    .await;
            context.servers.close().await;
            offer
        });
        let index = selection.index(&offer.definitions);
        let mut found =
            browse(&index, selection.query(), usize::MAX, context.servers.observed()).nodes;
        // A tool whose name was typed comes before tools that only fit.
        found.sort_by_key(|node| !selection.names(&node.tool));
        if !self.json {
            if !found.is_empty() {
                let ranked = matches!(selection, ToolSelection::Words(_));
                let order =
                    if ranked { show::ToolOrder::Ranked } else { show::ToolOrder::ByServer };
                let lines = show::lines(&found, &policy, order, width_of_stdout());
                ui::print(&lines.join("\n"))?;
            }
            warn_unavailable(&offer.unavailable);
        }
        warn_untrusted(&context);
        let document = || {
            let tools = show::json(&found, &offer.definitions, &policy);
            json!({ "tools": tools, "unavailable": offer.unavailable })
        };
        if !found.is_empty() || (self.wanted.is_empty() && offer.unavailable.is_empty()) {
            if found.is_empty() && names.is_empty() && !self.json {
                ui::say(&format!(
                    "no server is configured\n{HINT}hint{HINT:#}: `pml add` adds one"
                ));
            }
            ui::document(&document())?;
            return Ok(ExitCode::SUCCESS);
        }
        let message = match self.wanted.is_empty() {
            true => "no server could be asked for its tools".to_owned(),
            false => format!("no tool fits `{}`", self.wanted.join(" ")),
        };
        let hint = selection.near_names(&offer.definitions);
        let mut error = ErrorReport::new(Code::ToolUnknown, message);
        error.hint = hint.map(|near| format!("did you mean `{near}`?"));
        ui::alert(&report::error_text(&error));
        let code = match (context.project.trust.is_trusted(), names.is_empty()) {
            (false, false) => Code::Untrusted,
            _ => Code::ToolUnknown,
        };
        error.code = code.as_str().into();
        error.error_type.clone_from(&error.code);
        let mut found = document();
        found["error"] = json!(error);
        ui::document(&found)?;
        Ok(ExitCode::from(FAILED))
    }
}
