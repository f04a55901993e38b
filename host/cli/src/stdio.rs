//! The command `pml stdio`: serves MCP on stdin and stdout.

use super::execute::JournalStorage;
use super::notices::StderrNoticeWriter;
use super::report::{self, HintedError};
use super::signals::EndingSignals;
use super::{execute, project};
use crate::lock_flags::LockFlags;
use crate::project_context::{ProjectContext, ProjectFilesTrust};
use crate::project_reloader::ProjectReloader;
use anyhow::{Context, Result};
use clap::Args;
use pml::{
    Environment,
    project::{ProjectState, UserKey},
};
use pml_mcp::{CloseReason, McpServer, serve_stdio};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::mem::ManuallyDrop;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::AsyncReadExt;

/// Serve MCP on stdin and stdout, for Claude Code and other clients
///
/// One process serves one client: `claude mcp add pml -- pml stdio`. The client sees five tools:
/// execute, browse_components, list_library, describe_workflow and save_to_library. Programs call
/// the servers of the project around the current folder, under its policy, and are journalled
/// there.
///
/// Ends when the client is gone (exit code 0), on SIGINT (130) or SIGTERM (143). Programs that run
/// then go on until their next outcome is journalled and can be taken up with `pml run --resume`;
/// servers end with it.
#[derive(Args)]
pub(super) struct StdioCommand {
    /// Not a flag any more: whoever starts us may be the project itself.
    #[arg(long, hide = true)]
    trust: bool,
    /// Keep the journal in memory: nothing is written, and runs are forgotten with this process
    #[arg(long)]
    no_journal: bool,
    #[command(flatten)]
    lock: LockFlags,
}

impl StdioCommand {
    pub(super) fn run(self, signals: EndingSignals) -> Result<ExitCode> {
        if self.trust {
            let message = "unexpected argument `--trust`: `pml stdio` trusts nothing by itself";
            let hint = "run `pml trust` before; in CI, `pml trust --yes`";
            return Err(HintedError::usage(message, hint).into());
        }
        // The process ends after this. Dropping the runtime would only make the client wait.
        let runtime = ManuallyDrop::new(execute::runtime()?);
        runtime.block_on(async {
            let (interrupt, terminate) = (signal(SIGINT)?, signal(SIGTERM)?);
            let stop_requested = Arc::new(AtomicBool::new(false));
            for (number, code) in [(SIGINT, report::INTERRUPTED), (SIGTERM, report::TERMINATED)] {
                flag::register_conditional_shutdown(number, code.into(), stop_requested.clone())
                    .context("cannot listen for signals")?;
            }
            signals.leave_to_command();
            let storage =
                if self.no_journal { JournalStorage::InMemory } else { JournalStorage::OnDisk };
            let context = ProjectContext::open_for_runs(
                ProjectFilesTrust::AsRecorded,
                storage,
                self.lock.mode()?,
            )?;
            let durability = context.project.durability;
            let journal = project::journal_for(storage, durability, &context.project)?;
            if storage == JournalStorage::OnDisk {
                // The id identifies this project to whoever counts sessions. Failing to store it
                // must not prevent serving.
                let _ = ProjectState::at(context.project.state_folder()).client_id();
            }
            let root = context.project.root.clone();
            let reloader = ProjectReloader::new(&context, storage, journal)?;
            // The reloader holds the servers now, and drops them when they are replaced.
            drop(context);
            let key = match storage {
                JournalStorage::OnDisk => UserKey::of(&Environment::of_process(), &root)?,
                JournalStorage::InMemory => UserKey::of_this_process(),
            };
            let notices = StderrNoticeWriter::new();
            let log = notices.clone();
            let server = McpServer::from_source_with_key(key, move || reloader.current_setup())
                .with_log(move |line| log.say(line));
            let mut code = 0;
            let stop = async {
                tokio::select! {
                    () = interrupt => code = report::INTERRUPTED,
                    () = terminate => code = report::TERMINATED,
                }
                // A second signal ends the process at once.
                stop_requested.store(true, Ordering::Relaxed);
            };
            let close_reason = serve_stdio(server, stop).await;
            notices.finish();
            match close_reason? {
                CloseReason::Stopped => Ok(ExitCode::from(code)),
                _ => Ok(ExitCode::SUCCESS),
            }
        })
    }
}

/// Returns a future that waits for a signal. From now on the signal does not end the process.
fn signal(signal: i32) -> Result<impl Future<Output = ()>> {
    let (sender, receiver) = UnixStream::pair().context("cannot listen for signals")?;
    signal_hook::low_level::pipe::register(signal, sender).context("cannot listen for signals")?;
    receiver.set_nonblocking(true).context("cannot listen for signals")?;
    let mut receiver =
        tokio::net::UnixStream::from_std(receiver).context("cannot listen for signals")?;
    Ok(async move {
        // An error would mean that the pipe is closed, but it stays open as long as the process
        // lives.
        let _ = receiver.read_u8().await;
    })
}
