//! The runs of a host by their ids: running ones, waiting ones, and the last ones that ended.

use super::client::Client;
use super::drive::drive;
use super::ended_run::EndedRun;
use super::hosted_run::HostedRun;
use super::run_state::{HostedRunState, QuestionPublisher};
use super::stored_ending;
use crate::event::{Event, EventSink};
use crate::model::RunId;
use crate::router::Tools;
use crate::run::{Engine, Run};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

/// Maximum number of runs that wait for people while no request waits for them. The oldest ones
/// above it are released to the journal, which rebuilds them when they are answered.
const MAX_WAITING: usize = 256;

/// Number of outcomes that are stored for clients that come back. The journal has the older ones.
const MAX_OUTCOMES: usize = 64;

/// Outcomes larger than this many bytes are read from the journal again.
const LARGE_OUTCOME: usize = 256 << 10;

/// Hosts runs for clients. Clones share all state.
#[derive(Clone, Default)]
pub struct RunHost(Arc<RunHostState>);

#[derive(Default)]
struct RunHostState {
    runs: Mutex<HostedRuns>,
    closing: watch::Sender<bool>,
    tasks: TaskTracker,
}

#[derive(Default)]
struct HostedRuns {
    running: BTreeMap<RunId, Arc<HostedRun>>,
    ended: VecDeque<Arc<HostedRun>>,
}

impl RunHost {
    /// Returns a host without runs and clients.
    pub fn new() -> RunHost {
        RunHost::default()
    }

    /// Returns a new client. It is present until it [leaves](Client::disconnect) or the host closes.
    pub fn connect(&self) -> Client {
        Client::new(self.0.closing.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HostedRuns> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a run in its own task, for `client`. If the run was started before, returns that one.
    /// The run's approver, events and suspend flag are the host's; everything else is as the caller
    /// set it. Requires a tokio runtime.
    pub fn start(&self, engine: &Engine, client: &Client, run: Run) -> Arc<HostedRun> {
        let hosted = Arc::new(HostedRun::new(run.id(), HostedRunState::Running));
        hosted.add_client(client);
        if let Err(present) = self.insert(&hosted) {
            return present;
        }
        let (suspend, sink) = (Arc::new(AtomicBool::new(false)), hosted.clone());
        let run = run
            .approver(QuestionPublisher(hosted.state.clone()))
            .events(move |event: &Event| sink.event(event))
            .suspend_when(suspend.clone());
        let (host, engine, driven) = (self.clone(), engine.clone(), hosted.clone());
        self.0.tasks.spawn(async move {
            let ended = drive(&engine, &driven, run, &suspend).await;
            host.run_ended(&driven, &ended);
            driven.state.send_replace(HostedRunState::Ended(Arc::new(ended)));
        });
        hosted
    }

    /// Adds a run. Returns `Err` with the existing one if the run is already here.
    fn insert(&self, hosted: &Arc<HostedRun>) -> Result<(), Arc<HostedRun>> {
        let mut runs = self.lock();
        if let Some(present) = runs.running.get(&hosted.id()) {
            return Err(present.clone());
        }
        runs.running.insert(hosted.id(), hosted.clone());
        Ok(())
    }

    /// Removes a run that has ended, and stores its outcome if a client may come back for it.
    fn run_ended(&self, hosted: &Arc<HostedRun>, ended: &EndedRun) {
        let mut runs = self.lock();
        runs.running.remove(&hosted.id());
        if hosted.has_asked() && ended.error().is_none() && ended.size() <= LARGE_OUTCOME {
            runs.ended.push_back(hosted.clone());
            if runs.ended.len() > MAX_OUTCOMES {
                runs.ended.pop_front();
            }
        }
    }

    /// Returns a run that is here, or ended here recently.
    pub fn find(&self, run: RunId) -> Option<Arc<HostedRun>> {
        let runs = self.lock();
        let ended = || runs.ended.iter().find(|hosted| hosted.id() == run);
        runs.running.get(&run).or_else(ended).cloned()
    }

    /// Returns a run wherever it is: here, ended, or in the journal. A run in the journal is
    /// resumed here with `tools`, for `client`.
    pub async fn find_or_resume(
        &self,
        engine: &Engine,
        client: &Client,
        tools: impl Tools,
        run: RunId,
    ) -> Arc<HostedRun> {
        if let Some(hosted) = self.find(run) {
            return hosted;
        }
        match engine.journal().load(run).await {
            Ok(stored) if stored.state.has_ended() => {
                HostedRun::already_ended(stored_ending::of_stored(&stored))
            }
            Ok(_) => self.start(engine, client, engine.resume(run).tools(tools)),
            Err(error) => HostedRun::already_ended(stored_ending::unavailable(run, error.into())),
        }
    }

    /// Releases a run that waits for a person to the journal, so that another run may continue from
    /// its calls. A run that does not wait stays.
    pub async fn release(&self, run: RunId) {
        let Some(hosted) = self.find(run) else { return };
        if hosted.is_waiting() {
            hosted.release();
            hosted.wait_released().await;
        }
    }

    /// Releases the oldest idle runs to the journal, if too many wait.
    pub fn release_idle(&self) {
        let runs = self.lock();
        if runs.running.len() <= MAX_WAITING {
            return;
        }
        let idle = runs.running.values().filter(|hosted| hosted.is_idle());
        let excess = idle.clone().count().saturating_sub(MAX_WAITING);
        idle.take(excess).for_each(|hosted| hosted.release());
    }

    /// Marks all clients as gone. Programs continue until the next outcome of one of their calls is
    /// journalled, for a few seconds at most.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// Closes, and waits until no run is active.
    pub async fn wait_closed(&self) {
        self.close();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }
}

impl fmt::Debug for RunHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.lock();
        f.debug_struct("RunHost")
            .field("running", &runs.running.len())
            .field("ended", &runs.ended.len())
            .finish_non_exhaustive()
    }
}
