//! `--allow` and `--deny`: the policy of one run, on top of the project's.
//!
//! **Invariant:** `--allow` widens, so it is refused in the shell of a known agent, and recorded in
//! the audit trail with its run. It stands above `ask` and above conditions of grants; never above
//! a `deny`, and a package, trust or a changed tool are asked about as ever. **Invariant:** nothing
//! of it is kept: a run that goes on later has it only if it is given again.

use super::execute::JournalStorage;
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use clap::Args;
use pml::{Config, RunId, journal::AuditEvent, policy::ToolPattern};
use std::path::Path;

/// The flags.
#[derive(Args, Clone, Default)]
pub(super) struct RunPolicyFlags {
    /// Call the tools of this pattern (`'files:*'`) without asking, in this run only; a `deny` of
    /// the settings still refuses. May be given several times
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Approval")]
    allow: Vec<ToolPattern>,
    /// Refuse the tools of this pattern, in this run only. May be given several times
    #[arg(long, value_name = "PATTERN", value_parser = pattern, help_heading = "Approval")]
    deny: Vec<ToolPattern>,
}

fn pattern(text: &str) -> Result<ToolPattern, String> {
    let parsed = text.parse::<ToolPattern>();
    parsed.map_err(|_| {
        "write a pattern as `server:tool`, `server:prefix_*`, `server:*` or `*`".into()
    })
}

impl RunPolicyFlags {
    /// Returns the policy, or refuses it.
    ///
    /// # Errors
    /// If `--allow` is given and an agent runs the command.
    pub(super) fn permitted(&self) -> Result<RunPolicy> {
        let permit = match self.allow.is_empty() {
            true => None,
            false => Some(widening_permit::refuse_agents("--allow")?),
        };
        Ok(RunPolicy { flags: self.clone(), permit })
    }
}

/// The policy of one run. Whoever gave it may widen.
#[derive(Default)]
pub(super) struct RunPolicy {
    flags: RunPolicyFlags,
    permit: Option<WideningPermit>,
}

impl RunPolicy {
    /// Adds it to the settings of an engine.
    pub(super) fn apply(&self, config: &mut Config) {
        for pattern in &self.flags.allow {
            config.allow_over_ask(pattern.clone());
        }
        for pattern in &self.flags.deny {
            config.deny_tool(pattern.clone());
        }
    }

    /// Records in the audit trail what is allowed for a run.
    pub(super) async fn note(&self, run: RunId, storage: JournalStorage, root: &Path) {
        let Some(permit) = &self.permit else { return };
        let (folder, changes) = (root.to_string_lossy().into_owned(), self.changes());
        let what = |who, channel| AuditEvent::Changed { folder, changes, who, channel };
        permit.note_run(run, storage, what).await;
    }

    fn changes(&self) -> Vec<String> {
        let line = |pattern: &ToolPattern| {
            format!("allowed for this run only: {}", String::from(pattern.clone()))
        };
        self.flags.allow.iter().map(line).collect()
    }
}
