//! The command `pml package-files`, which help does not list: writes what a distribution packs
//! beside the binary.

use super::arguments::Arguments;
use super::ui;
use anyhow::{Context, Result};
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write man pages and completion scripts for a package
///
/// They go to `man/man1` and `completions` in the folder.
#[derive(Args)]
pub(super) struct PackageFilesCommand {
    /// The folder
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
}

impl PackageFilesCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let pages = self.folder.join("man/man1");
        let scripts = self.folder.join("completions");
        for folder in [&pages, &scripts] {
            fs::create_dir_all(folder).with_context(|| cannot_write(folder))?;
        }
        let mut command = Arguments::command();
        for shell in Shell::value_variants() {
            clap_complete::generate_to(*shell, &mut command, "pml", &scripts)
                .with_context(|| cannot_write(&scripts))?;
        }
        clap_mangen::generate_to(Arguments::command(), &pages)
            .with_context(|| cannot_write(&pages))?;
        ui::print(&format!("written: {}", self.folder.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn cannot_write(folder: &Path) -> String {
    format!("cannot write: {}", folder.display())
}
