//! Reads a project again after its files were trusted or a variable was set.

use super::file_names::ENV_FILE;
use super::parts::ProjectDeclarations;
use super::project::Project;
use crate::config::Environment;
use crate::error::Error;
use crate::model::{Code, TrustNeed, fold_middle};
use std::path::PathBuf;

/// Maximum number of lines about untrusted files: more than a project has servers. `pml trust
/// --show` shows all of it.
const MAX_LINES: usize = 1_000;

/// Maximum number of characters of each line: more than a launch line has.
const MAX_WIDTH: usize = 16 << 10;

impl Project {
    /// Loads the project as its files are now, with the variables that it was read with and the
    /// current ones of its `.env`. Files that were trusted before are trusted as long as they are
    /// the same.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn reload(&self) -> Result<Project, Error> {
        match self.trust.is_trusted() {
            true => Project::load_accepted(&self.root, &self.environment, self),
            false => Project::load_with_environment(&self.root, &self.environment),
        }
    }

    /// Returns the variables that it was read with.
    pub(crate) fn environment(&self) -> Environment {
        (*self.environment).clone()
    }

    /// Returns the file that its variables can be written to.
    pub fn variables_file(&self) -> PathBuf {
        self.root.join(ENV_FILE)
    }

    /// Returns what a person has to trust before the files take effect, or `None` if they are
    /// trusted.
    pub fn trust_need(&self) -> Option<TrustNeed> {
        let reason = self.trust.reason()?;
        let files = self.digests.iter().map(|(name, digest)| (name.clone(), digest.clone()));
        let folder = self.root.to_string_lossy();
        Some(TrustNeed::new(folder, files.collect(), reason, effect_lines(&self.declared)))
    }

    /// Records that this user trusts the files that `need` describes, and returns the project with
    /// them.
    ///
    /// # Errors
    /// If the files have changed, or it cannot be recorded.
    pub fn accept_trust(&self, need: &TrustNeed) -> Result<Project, Error> {
        let environment: &Environment = &self.environment;
        let now = Project::load_with_environment(&self.root, environment)?;
        let same = now.digests.iter().map(|(name, digest)| (name.clone(), digest.clone()));
        if !same.eq(need.files.iter().cloned()) {
            return Err(Error::new(
                Code::Untrusted,
                "the project's files have changed since they were shown: nothing is trusted",
            )
            .with_hint("call it again, or look at them with `pml trust --show`"));
        }
        now.grant_trust(environment)?;
        Project::load_with_environment(&self.root, environment)
    }
}

/// Describes what the files would allow and start, one line each, the most important first. Too
/// many lines are folded in the middle, and counted.
fn effect_lines(declared: &ProjectDeclarations) -> Vec<String> {
    let mut would: Vec<String> =
        declared.facts().iter().map(|fact| fold_middle(&fact.to_string(), MAX_WIDTH)).collect();
    if would.len() > MAX_LINES {
        let (left_out, end) = (would.len() - MAX_LINES, would.len() - MAX_LINES / 2);
        let folded = format!("[… {left_out} more: `pml trust --show` shows them …]");
        would.splice(MAX_LINES - MAX_LINES / 2..end, [folded]);
    }
    would
}
