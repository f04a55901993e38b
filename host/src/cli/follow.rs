//! A project that may change while it is served: somebody adds a server, allows a tool, or trusts the folder.
//!
//! In flow the project's files, out flows the setting they give. They are looked at with every request, and read again only when
//! one of them has changed.

use super::workplace::{Files, Workplace};
use crate::mcp::Setting;
use crate::{Engine, Error, Journal};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// What a file looks like from outside.
type Look = Option<(SystemTime, u64)>;

/// Follows a project.
pub(super) struct Follower {
    files: Files,
    journal: Arc<dyn Journal>,
    watched: Vec<PathBuf>,
    last: Mutex<(Vec<Look>, Setting)>,
}

impl Follower {
    /// Begins with a workplace as it is.
    pub(super) fn new(
        workplace: &Workplace,
        files: Files,
        journal: Arc<dyn Journal>,
    ) -> Result<Follower, Error> {
        let watched = workplace.project.sources();
        let looks = watched.iter().map(look).collect();
        let setting = setting(workplace, &journal)?;
        Ok(Follower { files, journal, watched, last: Mutex::new((looks, setting)) })
    }

    /// Returns the setting of the moment. Runs that are under way keep the one they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be understood: nothing is done by rules that may not hold any more.
    pub(super) fn current(&self) -> Result<Setting, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let looks: Vec<Look> = self.watched.iter().map(look).collect();
        if last.0 != looks {
            let workplace = Workplace::load(self.files)?;
            *last = (looks, setting(&workplace, &self.journal)?);
        }
        Ok(last.1.clone())
    }
}

fn setting(workplace: &Workplace, journal: &Arc<dyn Journal>) -> Result<Setting, Error> {
    let engine = Engine::with_journal(&workplace.config(), journal.clone())?;
    workplace.servers.start_background();
    Ok(Setting::new(engine, workplace.servers.clone()))
}

fn look(path: &PathBuf) -> Look {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
