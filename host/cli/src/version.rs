//! The command `pml version`: prints the version and the guest's digest.

use super::ui;
use clap::Args;
use std::process::ExitCode;

/// Print the version, and the digest of the guest that programs run in
#[derive(Args)]
pub(super) struct VersionCommand {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl VersionCommand {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let version = env!("CARGO_PKG_VERSION");
        let digest = pml::replay::GUEST_DIGEST;
        ui::out(&match self.json {
            true => pml::json::json!({ "pml": version, "guest_sha256": digest }).to_string(),
            false => format!("pml {version}\nguest sha256:{digest}"),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
