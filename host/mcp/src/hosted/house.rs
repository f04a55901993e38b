//! The runs of a door by their ids: those that go on, those that wait, and what those came to that are over.

use super::run::{Hosted, host};
use super::stand::Over;
use super::stored;
use crate::door::Visit;
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
pub(crate) struct House(Mutex<Rooms>);

#[derive(Default)]
struct Rooms {
    living: BTreeMap<RunId, Arc<Hosted>>,
    over: VecDeque<Arc<Hosted>>,
}

impl House {
    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a run that is here, or was until lately.
    pub(crate) fn find(&self, run: RunId) -> Option<Arc<Hosted>> {
        let rooms = self.rooms();
        let over = || rooms.over.iter().find(|hosted| hosted.run == run);
        rooms.living.get(&run).or_else(over).cloned()
    }

    /// Takes a run in; `Err` is the same run if it is here already.
    pub(super) fn take_in(&self, hosted: &Arc<Hosted>) -> Result<(), Arc<Hosted>> {
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
    pub(super) fn ended(&self, hosted: &Arc<Hosted>, over: &Over) {
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
pub(crate) async fn release(visit: &Visit, run: RunId) {
    let Some(hosted) = visit.door.house.find(run) else { return };
    if hosted.waits() {
        hosted.let_go();
        hosted.left().await;
    }
}

/// Returns a run wherever it is: here, over, or in the journal, from where it goes on here.
pub(crate) async fn take_up(visit: &Visit, run: RunId) -> Arc<Hosted> {
    if let Some(hosted) = visit.door.house.find(run) {
        return hosted;
    }
    match visit.engine.journal().load(run).await {
        Ok(stored) if stored.state.ended() => Hosted::over(run, stored::of(&stored)),
        Ok(_) => host(visit, visit.engine.resume(run)),
        Err(error) => Hosted::over(run, stored::unknown(error.into())),
    }
}
