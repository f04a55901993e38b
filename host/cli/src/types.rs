//! The command `pml types`: writes TypeScript declarations of all tools.

use super::execute::runtime;
use super::quantity::counted;
use super::report::HintedError;
use super::ui::{self, HINT};
use crate::project_context::ProjectContext;
use crate::server_query::{query_tools, warn_unavailable};
use crate::widening_permit::TrustOnceFlags;
use anyhow::{Context, Result};
use clap::Args;
use pml::json::json;
use pml::{
    Code, Error, Store,
    catalog::typescript_declarations,
    file::{WriteDurability, replace_file},
    project::{Freshness, ToolOffer},
    text::escape,
    tool::Definition,
};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Name of the file in the project's `.pml`.
const FILE: &str = "mcp.d.ts";

/// Write TypeScript declarations of all tools, for editors and `tsc`
///
/// They go to `.pml/mcp.d.ts`. Name that file in the `include` of `tsconfig.json`, or write
/// `/// <reference path=".pml/mcp.d.ts" />` at the top of a program. Results of tools whose servers
/// say nothing of them have the type of those that were seen, and are marked so.
///
/// What a server said when it last ran is good enough; one that never ran is started and stopped
/// again.
#[derive(Args)]
pub(super) struct TypesCommand {
    /// Write to this file, or - for stdout
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Ask the servers themselves
    #[arg(long)]
    refresh: bool,
    /// Print exactly one line of JSON on stdout about what was written
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    once: TrustOnceFlags,
}

impl TypesCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let context = ProjectContext::open(self.once.files_trust()?)?;
        // Without this check, empty declarations would replace the existing ones.
        let project = &context.project;
        if let (Some(reason), false) = (project.trust.reason(), project.declared.servers.is_empty())
        {
            let hint = "look at what it declares, then run `pml trust`";
            return Err(
                HintedError::new(format!("{reason}: its servers cannot be asked"), hint).into()
            );
        }
        let freshness = if self.refresh { Freshness::Live } else { Freshness::CachedOrLive };
        let offer = runtime()?.block_on(async {
            let offer = query_tools(&context, |_| true, freshness).await;
            context.servers.close().await;
            offer
        });
        let tools = offer.definitions.iter().map(|definition| &**definition);
        let text = typescript_declarations(tools, context.servers.observed());
        if self.out.as_deref().is_some_and(|out| out.as_os_str() == "-") {
            match self.json {
                true => ui::document(&json!({ "declarations": text }))?,
                false => ui::out(text.trim_end())?,
            }
            warn_unavailable(&offer.unavailable);
            return Ok(ExitCode::SUCCESS);
        }
        let path = match &self.out {
            Some(path) => path.clone(),
            None => {
                let folder = project.state_folder();
                // Nothing of a journal is written here: its advice would not help.
                Store::make_folder(&folder).map_err(|error| {
                    Error::new(Code::Io, error.to_string())
                        .with_hint("write to another file with `--out FILE`")
                        .with_source(
                            std::error::Error::source(&error)
                                .map_or_else(String::new, |cause| cause.to_string()),
                        )
                })?;
                folder.join(FILE)
            }
        };
        let written = replace(&path, &text)
            .with_context(|| format!("cannot write: {}", escape(&path.to_string_lossy())))?;
        self.print_summary(&context, &offer, &path, written)?;
        Ok(ExitCode::SUCCESS)
    }

    fn print_summary(
        &self,
        context: &ProjectContext,
        offer: &ToolOffer,
        path: &Path,
        written: TypesFileStatus,
    ) -> Result<()> {
        let servers: BTreeSet<&str> =
            offer.definitions.iter().map(|definition| definition.tool.server()).collect();
        let inferred = |definition: &&std::sync::Arc<Definition>| {
            let observed = context.servers.observed();
            definition.output.is_none()
                && observed.is_some_and(|observed| observed.inferred_schema(definition).is_some())
        };
        let inferred = offer.definitions.iter().filter(inferred).count();
        if self.json {
            let summary = json!({
                "path": path.to_string_lossy(),
                "changed": written == TypesFileStatus::Written,
                "tools": offer.definitions.len(),
                "servers": servers,
                "inferred": inferred,
                "unavailable": offer.unavailable,
            });
            return Ok(ui::document(&summary)?);
        }
        let root = &context.project.root;
        let short = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        let tools = counted(offer.definitions.len() as u64, "tool");
        let server_count = counted(servers.len() as u64, "server");
        let what = match written {
            TypesFileStatus::Written => "is written",
            TypesFileStatus::Unchanged => "is up to date",
        };
        let seen = match inferred {
            0 => String::new(),
            count => format!(", {} inferred from what was seen", counted(count as u64, "result")),
        };
        ui::print(&format!("`{}` {what}: {tools} of {server_count}{seen}", escape(&short)))?;
        warn_unavailable(&offer.unavailable);
        if written == TypesFileStatus::Written {
            ui::say(&format!(
                "{HINT}hint{HINT:#}: name it in the `include` of `tsconfig.json`, or begin a program with\n  \
                 /// <reference path=\"{}\" />",
                escape(&short)
            ));
        }
        Ok(())
    }
}

/// The result of writing the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypesFileStatus {
    Written,
    Unchanged,
}

/// Replaces a file as a whole: a reader sees the old one or the new one. A link in its place, which
/// a cloned repository may contain, is replaced and not followed.
fn replace(path: &Path, text: &str) -> io::Result<TypesFileStatus> {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_file && fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(TypesFileStatus::Unchanged);
    }
    replace_file(path, text.as_bytes(), WriteDurability::Process).map(|()| TypesFileStatus::Written)
}

#[cfg(test)]
mod tests {
    use super::{TypesFileStatus, replace};
    use std::fs;

    #[test]
    fn a_file_is_written_when_it_changes_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.d.ts");
        assert!(replace(&path, "one").unwrap() == TypesFileStatus::Written);
        assert!(replace(&path, "one").unwrap() == TypesFileStatus::Unchanged);
        assert!(replace(&path, "two").unwrap() == TypesFileStatus::Written);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(&folder.path().join("nowhere/x"), "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("mcp.d.ts"));
        fs::write(&victim, "mine").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        assert!(replace(&path, "types").unwrap() == TypesFileStatus::Written);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        assert!(path.symlink_metadata().unwrap().is_file());
    }
}
