//! `pml run --watch`: runs the program again when it or one of its modules changes.

use super::arguments::RunOptions;
use super::execute::{new_run, run_and_print};
use super::interrupt::{WayOn, set_way_on};
use super::quantity::counted;
use super::ui::{self, DIM};
use super::{output, report};
use crate::project_context::ProjectContext;
use crate::run_policy::RunPolicy;
use anyhow::{Context, Result};
use notify::{RecursiveMode, Watcher};
use pml::text::in_one_line;
use pml::{Engine, Limits, Script};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// Editors save a file in several operations. After this time without a change they are done.
const SETTLE: Duration = Duration::from_millis(50);

/// Runs the program until interrupted. A change during a run cancels it and starts the program
/// again. With `--json`, each run has a document of its own.
pub(super) async fn watch(
    engine: &Engine,
    context: &ProjectContext,
    policy: &RunPolicy,
    script: &Script,
    file: &Path,
    options: &RunOptions,
) -> Result<Infallible> {
    let (sender, mut changes) = mpsc::unbounded_channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            // The receiver lives as long as the command.
            let _ = sender.send(event.paths);
        }
    })
    .context("cannot watch files on this machine")?;
    let mut folders = BTreeSet::new();
    loop {
        let files = program_files(script, file);
        for folder in files.iter().filter_map(|file| file.parent()) {
            if folders.insert(folder.to_owned()) {
                watcher
                    .watch(folder, RecursiveMode::NonRecursive)
                    .with_context(|| format!("cannot watch {}", folder.display()))?;
            }
        }
        let run = async {
            output::expect_document();
            let done = async {
                let run = new_run(engine, script, options)?;
                policy.note(run.id(), options.storage(), &context.project.root).await;
                run_and_print(run, &context.servers, options.storage()).await
            };
            if let Err(error) = done.await {
                report::error(&error);
            }
            // Nothing is cut off until the next run.
            set_way_on(WayOn::Watch(in_one_line(&file.to_string_lossy())));
            let count = counted(files.len() as u64, "file");
            ui::say(&format!("{DIM}watching {count} for changes{DIM:#}"));
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = run => {}
            () = wait_for_change(&mut changes, &files) => {
                ui::say(&format!("{DIM}changed: running again{DIM:#}"));
            }
        }
    }
}

/// Returns the files that the program consists of, as far as they can be read.
fn program_files(script: &Script, file: &Path) -> BTreeSet<PathBuf> {
    let loaded = script.load(Limits::SOURCE);
    let modules = loaded.map(|program| program.modules).unwrap_or_default();
    let mut files: BTreeSet<_> = modules.into_iter().filter_map(|module| module.path).collect();
    files.extend(std::path::absolute(file).and_then(|file| file.canonicalize().or(Ok(file))).ok());
    files
}

/// Waits until one of `files` changes, and then until no more changes arrive.
async fn wait_for_change(
    changes: &mut mpsc::UnboundedReceiver<Vec<PathBuf>>,
    files: &BTreeSet<PathBuf>,
) {
    while let Some(paths) = changes.recv().await {
        if paths.iter().any(|path| files.contains(path)) {
            while let Ok(Some(_)) = tokio::time::timeout(SETTLE, changes.recv()).await {}
            return;
        }
    }
    std::future::pending().await
}
