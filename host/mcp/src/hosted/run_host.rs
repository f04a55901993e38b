//! The runs of a door by their ids: those that go on, those that wait, and what those came to that are over.

use super::run::{HostedRun, host};
use super::stored;
use crate::hosted::run_state::EndedRun;
use crate::server::RequestScope;
use pml::RunId;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Runs that wait for people and that no request waits for, at most: the oldest ones over it are left to the journal, which
/// rebuilds them when they are answered.
const WAITING: usize = 256;

/// Outcomes that are kept for whoever comes back: the journal has the older ones.
const OUTCOMES: usize = 64;

/// Outcomes that are larger than this are read from the journal again.
const LARGE: usize = 256 << 10;

/// The runs of a door.
#[derive(Default)]
pub(crate) struct RunHost(Mutex<HostedRuns>);

#[derive(Default)]
struct HostedRuns {
    living: BTreeMap<RunId, Arc<HostedRun>>,
    over: VecDeque<Arc<HostedRun>>,
}

impl RunHost {
    fn rooms(&self) -> MutexGuard<'_, HostedRuns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a run that is here, or was until lately.
    pub(crate) fn find(&self, run: RunId) -> Option<Arc<HostedRun>> {
        let rooms = self.rooms();
        let over = || rooms.over.iter().find(|hosted| hosted.run == run);
        rooms.living.get(&run).or_else(over).cloned()
    }

    /// Takes a run in; `Err` is the same run if it is here already.
    pub(super) fn take_in(&self, hosted: &Arc<HostedRun>) -> Result<(), Arc<HostedRun>> {
        let mut rooms = self.rooms();
        if let Some(there) = rooms.living.get(&hosted.run) {
            return Err(there.clone());
        }
        rooms.living.insert(hosted.run, hosted.clone());
        Ok(())
    }

    /// Leaves the oldest runs to the journal, if too many wait.
    pub(crate) fn tidy(&self) {
        let rooms = self.rooms();
        if rooms.living.len() <= WAITING {
            return;
        }
        let idle = rooms.living.values().filter(|hosted| hosted.is_idle());
        let many = idle.clone().count().saturating_sub(WAITING);
        idle.take(many).for_each(|hosted| hosted.let_go());
    }

    /// A run is not going on any more.
    pub(super) fn ended(&self, hosted: &Arc<HostedRun>, over: &EndedRun) {
        let mut rooms = self.rooms();
        rooms.living.remove(&hosted.run);
        let comes_back = hosted.asked() && over.error.is_none();
        if comes_back && over.answer.size() <= LARGE {
            rooms.over.push_back(hosted.clone());
            if rooms.over.len() > OUTCOMES {
                rooms.over.pop_front();
            }
        }
    }
}

/// Leaves a run that waits for a person to the journal, from where another may take up what it has done.
pub(crate) async fn release(visit: &RequestScope, run: RunId) {
    let Some(hosted) = visit.door.house.find(run) else { return };
    if hosted.waits() {
        hosted.let_go();
        hosted.left().await;
    }
}

/// Returns a run wherever it is: here, over, or in the journal, from where it goes on here.
pub(crate) async fn take_up(visit: &RequestScope, run: RunId) -> Arc<HostedRun> {
    if let Some(hosted) = visit.door.house.find(run) {
        return hosted;
    }
    match visit.engine.journal().load(run).await {
        Ok(stored) if stored.state.ended() => HostedRun::over(run, stored::of(&stored)),
        Ok(_) => host(visit, visit.engine.resume(run)),
        Err(error) => HostedRun::over(run, stored::unknown(error.into())),
    }
}
