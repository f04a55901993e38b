//! The command `pml version`: prints the version and the guest's digest.

use super::ui;
use clap::Args;
use pml::json::json;
use std::process::ExitCode;

/// Print the version, and the digest of the guest that programs run in
#[derive(Args)]
pub(super) struct VersionCommand {
    /// Print exactly one line of JSON on stdout
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl VersionCommand {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let version = env!("CARGO_PKG_VERSION");
        let digest = pml::replay::GUEST_DIGEST;
        match self.json {
            true => ui::document(&json!({ "pml": version, "guest_sha256": digest }))?,
            false => ui::out(&format!("pml {version}\nguest sha256:{digest}"))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
