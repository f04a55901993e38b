//! The command `pml servers`: its flags, and its exit code.

use super::row::{ServerRow, rows};
use super::show;
use crate::execute::runtime;
use crate::project_context::ProjectContext;
use crate::report::{self, FAILED, HintedError};
use crate::server_query::{query_tools, warn_untrusted};
use crate::terminal::width_of_stdout;
use crate::ui::{self, HINT};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::{
    Code,
    project::Freshness,
    text::{escape, nearest},
};
use std::process::ExitCode;

/// Show the servers of this project and their state
///
/// Nothing is started: what a server reported when it last ran is shown as (remembered). With
/// `--start`, all servers or the named ones are started, asked for their tools, and stopped again.
///
/// Exit codes: 0, or 1 if a named or started server does not answer.
#[derive(Args)]
pub(crate) struct ServersCommand {
    /// Only these servers
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Start them and see whether they answer
    #[arg(long)]
    start: bool,
    /// Print exactly one line of JSON on stdout: `servers`
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl ServersCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let context = ProjectContext::open(self.once.files_trust()?)?;
        self.check_names(&context)?;
        let runtime = runtime()?;
        let rows = runtime.block_on(async {
            if self.start {
                query_tools(&context, |name| self.wants(name), Freshness::Live).await;
            }
            let rows = rows(&context).await;
            context.servers.close().await;
            rows
        });
        let rows: Vec<ServerRow> = rows.into_iter().filter(|row| self.wants(&row.name)).collect();
        let has_failed = rows.iter().any(|row| self.counts_as_failed(row));
        match self.json {
            true => print_document(&rows, has_failed)?,
            false if rows.is_empty() => ui::say(&format!(
                "no server is configured\n{HINT}hint{HINT:#}: `pml add` adds one, `pml import` imports those of other clients"
            )),
            false => ui::print(&show::lines(&rows, width_of_stdout()).join("\n"))?,
        }
        warn_untrusted(&context);
        Ok(match has_failed {
            true => ExitCode::from(FAILED),
            false => ExitCode::SUCCESS,
        })
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }

    /// Reports whether a server makes the command fail. One that cannot be used does if it was
    /// named.
    fn counts_as_failed(&self, row: &ServerRow) -> bool {
        let named = !self.names.is_empty();
        match row.is_declared_only() {
            true => named || (self.start && row.is_untrusted()),
            false => (named || self.start) && row.has_failed(),
        }
    }

    fn check_names(&self, context: &ProjectContext) -> Result<()> {
        let project = &context.project;
        let known: Vec<&str> =
            project.declared.servers.iter().map(|server| server.name.as_str()).collect();
        let Some(unknown) = self.names.iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let near = nearest(unknown, known.iter().copied());
        let hint = match near.as_slice() {
            [] if known.is_empty() => "no server is configured: `pml add` adds one".into(),
            [] => "`pml servers` lists the servers".into(),
            near => format!("did you mean `{}`?", escape(&near.join("` or `"))),
        };
        let error = HintedError::new(format!("there is no server `{unknown}`"), hint);
        Err(error.with_code(Code::ServerUnknown).into())
    }
}

fn print_document(rows: &[ServerRow], has_failed: bool) -> Result<()> {
    let document = json!({ "servers": rows.iter().map(ServerRow::json).collect::<Value>() });
    match has_failed {
        false => ui::document(&document)?,
        true => {
            let message = "a server does not answer";
            report::fail_with_document(document, Code::ServerFailed, message)?;
        }
    }
    Ok(())
}
