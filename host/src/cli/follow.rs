//! A project that may change while it is served: somebody adds a server, allows a tool, or trusts the folder.
//!
//! In flow the project's files, out flows the setting they give. They are looked at with every request, and read again only when
//! one of them has changed.
//!
//! **Invariant:** `--trust` is for the files as they were when it was said: a program that can write them gives itself nothing.

use super::workplace::{Files, Workplace, config};
use crate::mcp::Setting;
use crate::{Engine, Error, Journal, Project, Servers};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// What a file looks like from outside.
type Look = Option<(SystemTime, u64)>;

/// Follows a project.
pub(super) struct Follower {
    /// What the user has said to trust, if they have.
    accepted: Option<Project>,
    journal: Arc<dyn Journal>,
    watched: Vec<PathBuf>,
    last: Mutex<Last>,
}

struct Last {
    looks: Vec<Look>,
    setting: Setting,
}

impl Follower {
    /// Begins with a workplace as it is.
    pub(super) fn new(
        workplace: &Workplace,
        files: Files,
        journal: Arc<dyn Journal>,
    ) -> Result<Follower, Error> {
        let Workplace { project, servers } = workplace;
        let engine = Engine::with_journal(&config(project), journal.clone())?;
        servers.start_background();
        let setting = Setting::new(engine, servers.clone());
        Ok(Follower {
            accepted: (files == Files::Trusted).then(|| project.clone()),
            journal,
            last: Mutex::new(Last { looks: project.sources().iter().map(look).collect(), setting }),
            watched: project.sources(),
        })
    }

    /// Returns the setting of the moment. Runs that are under way keep the one they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be understood: nothing is done by rules that may not hold any more.
    pub(super) fn current(&self) -> Result<Setting, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let looks: Vec<Look> = self.watched.iter().map(look).collect();
        if last.looks != looks {
            let project = Workplace::again(self.accepted.as_ref())?;
            last.setting = self.setting(&project)?;
            last.looks = looks;
        }
        Ok(last.setting.clone())
    }

    fn setting(&self, project: &Project) -> Result<Setting, Error> {
        let engine = Engine::with_journal(&config(project), self.journal.clone())?;
        let servers = Servers::of(project)?;
        servers.start_background();
        Ok(Setting::new(engine, servers))
    }
}

fn look(path: &PathBuf) -> Look {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
