//! A project that is read again: somebody has trusted its files, or set a variable.

use super::environment::Environment;
use super::parts::{Declared, FileState};
use super::project::{ENV_FILE, Project};
use crate::error::Error;
use crate::model::{Code, Secret, TrustNeed, cut, shown_given};
use std::path::PathBuf;

/// What is shown of files that nobody has trusted; `pml trust --show` shows all of it.
const LINES: usize = 30;

/// And of each line.
const WIDTH: usize = 400;

impl Project {
    /// Returns the project as its files are now, with the variables it was read with and those that its `.env` has now. Files
    /// that counted before count as long as they are the same.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn again(&self) -> Result<Project, Error> {
        match self.trust.is_trusted() {
            true => Project::load_accepted(&self.root, &self.environment, self),
            false => Project::load_in(&self.root, &self.environment),
        }
    }

    /// Returns the variables that it was read with.
    pub(crate) fn environment(&self) -> Environment {
        (*self.environment).clone()
    }

    /// Returns the file that its variables can be written into.
    pub fn variables_file(&self) -> PathBuf {
        self.root.join(ENV_FILE)
    }

    /// Returns what a person has to trust before the files count; nothing if they do.
    pub fn trust_need(&self) -> Option<TrustNeed> {
        let reason = self.trust.reason()?;
        let files = self.digests.iter().map(|(name, digest)| (name.clone(), digest.clone()));
        let folder = self.root.to_string_lossy();
        Some(TrustNeed::new(folder, files.collect(), reason, would(&self.declared)))
    }

    /// Records that this user trusts the files that `need` tells of, and returns the project with them.
    ///
    /// # Errors
    /// If the files are others by now, or it cannot be recorded.
    pub fn accept(&self, need: &TrustNeed) -> Result<Project, Error> {
        let environment: &Environment = &self.environment;
        let now = Project::load_in(&self.root, environment)?;
        let same = now.digests.iter().map(|(name, digest)| (name.clone(), digest.clone()));
        if !same.eq(need.files.iter().cloned()) {
            return Err(Error::new(
                Code::Untrusted,
                "the project's files have changed since they were shown: nothing is trusted",
            )
            .with_hint("call it again, or look at them with `pml trust --show`"));
        }
        now.grant_trust(environment)?;
        Project::load_in(&self.root, environment)
    }
}

/// What files would allow, loosen and start, a line each, what matters most first. What is left out is counted.
fn would(declared: &Declared) -> Vec<String> {
    let mut would: Vec<String> = Vec::new();
    if !declared.allow.is_empty() {
        let patterns: Vec<String> = declared.allow.iter().cloned().map(String::from).collect();
        would.push(format!("called without asking: {}", patterns.join(", ")));
    }
    if declared.model_may_approve {
        would.push("the model may approve its own calls".into());
    }
    if let Some(cloud) = &declared.cloud {
        would.push(format!("cloud: {cloud}"));
    }
    for server in &declared.servers {
        // A variable may make a harmless program load another, or hand it a key.
        let given = |(name, value): &(String, Secret)| {
            format!(", {name}={}", shown_given(name, value.reveal()))
        };
        let given: String = server.given.iter().map(given).collect();
        let scripts = match server.install_scripts {
            true => ", code of its package may run while it is installed",
            false => "",
        };
        would.push(format!("server {}: {}{given}{scripts}", server.name, server.launch));
    }
    for file in &declared.files {
        let means = match &file.state {
            FileState::Held => "trusted as it is now".into(),
            FileState::LeadsOut { to } => format!("leads out of the project, to {to}"),
            FileState::Absent => "not there yet".into(),
            FileState::NotHeld => "data, which may change".into(),
        };
        would.push(format!("file {} of {}: {means}", file.name, file.server));
    }
    for variable in declared.variables.iter().filter(|variable| variable.in_file) {
        let decides = match variable.loading {
            true => "steers what is loaded",
            false => "takes the place of a default",
        };
        would.push(format!("`.env` sets {}, which {decides}", variable.name));
    }
    let more = would.len().saturating_sub(LINES);
    would.truncate(LINES);
    if more > 0 {
        would.push(format!("and {more} more: `pml trust --show` shows them"));
    }
    would.iter().map(|line| cut(line, WIDTH)).collect()
}
