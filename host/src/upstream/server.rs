//! One configured server, whether it runs or not.
//!
//! It is started on first use. Concurrent callers share one start and its outcome. After a failure
//! it is not started for a pause that doubles with each failure, from 100 ms up to 30 s, until a
//! call has been answered. A use during the pause waits for its end if that is at most a second
//! away. Otherwise it fails at once with the reason and the remaining time.

use super::connection::{Connection, ConnectionLease};
use super::error::UpstreamError;
use super::identity::ServerIdentity;
use super::listing::ServerTools;
use crate::config::ServerConfig;
use crate::model::Clock;
use crate::store::{CachedServer, ServerCache};
use crate::upstream::output_tail::OutputTail;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

/// The shortest pause after a failure.
const SHORTEST_BACK_OFF: Duration = Duration::from_millis(100);

/// The longest pause after a failure.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

/// Maximum time that a caller waits for the end of a pause.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A server and its state.
pub(super) struct UpstreamServer {
    pub(super) config: ServerConfig,
    cache: Option<ServerCache>,
    clock: Arc<dyn Clock>,
    pub(super) identity: ServerIdentity,
    pub(super) state: Mutex<ServerLifecycle>,
    /// Its output since the newest start.
    pub(super) tail: Mutex<Arc<OutputTail>>,
    remembered: Mutex<RememberedTools>,
    pub(super) starts: AtomicU32,
    failures: AtomicU32,
    pub(super) started_in: Mutex<Option<Duration>>,
}

/// The tools of a server when it last ran.
enum RememberedTools {
    /// The cache was not read yet.
    Unread,
    /// The tools, or `None` if the server never ran.
    Read(Option<Arc<ServerTools>>),
}

/// The state of a server.
pub(super) enum ServerLifecycle {
    Idle,
    Starting(AbortHandle, watch::Receiver<Option<StartResult>>),
    Running(Arc<Connection>),
    Failed { error: UpstreamError, until: Instant },
    Closed,
}

pub(super) type StartResult = Result<(), UpstreamError>;

/// The next step for a caller that needs the server.
enum LeaseStep {
    Wait(watch::Receiver<Option<StartResult>>),
    Sleep(Instant),
    AwaitEnd(Arc<Connection>),
}

impl UpstreamServer {
    /// Returns a server that does not run.
    pub(super) fn new(
        config: ServerConfig,
        cache: Option<ServerCache>,
        clock: Arc<dyn Clock>,
    ) -> UpstreamServer {
        UpstreamServer {
            identity: ServerIdentity::of(&config),
            config,
            cache,
            clock,
            state: Mutex::new(ServerLifecycle::Idle),
            tail: Mutex::default(),
            remembered: Mutex::new(RememberedTools::Unread),
            starts: AtomicU32::new(0),
            failures: AtomicU32::new(0),
            started_in: Mutex::new(None),
        }
    }

    /// Reports whether it runs.
    pub(super) fn is_running(&self) -> bool {
        matches!(&*self.state(), ServerLifecycle::Running(connection) if !connection.is_closed())
    }

    /// Returns its tools, if it runs and they are known.
    pub(super) fn listed(&self) -> Option<Arc<ServerTools>> {
        match &*self.state() {
            ServerLifecycle::Running(connection) => connection.current_tools(),
            _ => None,
        }
    }

    /// Returns its tools when it last ran.
    pub(super) fn remembered(&self) -> Option<Arc<ServerTools>> {
        let mut remembered = self.remembered_lock();
        if let RememberedTools::Read(tools) = &*remembered {
            return tools.clone();
        }
        let tools = self
            .cached()
            .map(|cached| Arc::new(ServerTools::new(cached.definitions.clone(), &self.identity)));
        *remembered = RememberedTools::Read(tools.clone());
        tools
    }

    /// Returns its cached description from when it last ran.
    pub(super) fn cached(&self) -> Option<Arc<CachedServer>> {
        self.cache.as_ref()?.get(&self.config.name, &self.identity.server)
    }

    /// Returns a lease on the running server, and starts it if necessary.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<ConnectionLease, UpstreamError> {
        if !self.config.missing.is_empty() {
            let (server, variables) = (self.config.name.clone(), self.config.missing.clone());
            return Err(UpstreamError::Missing { server, variables });
        }
        loop {
            let step = {
                let mut state = self.state();
                match &*state {
                    ServerLifecycle::Running(connection) if !connection.is_closed() => {
                        return Ok(ConnectionLease::new(connection.clone()));
                    }
                    ServerLifecycle::Closed => {
                        return Err(UpstreamError::Closed(self.config.name.clone()));
                    }
                    ServerLifecycle::Starting(_, outcome) => LeaseStep::Wait(outcome.clone()),
                    ServerLifecycle::Failed { error, until } if *until > Instant::now() => {
                        let retry_in = *until - Instant::now();
                        if retry_in > MAX_WAIT {
                            let server = self.config.name.clone();
                            let reason = error.reason();
                            return Err(UpstreamError::BackingOff { server, reason, retry_in });
                        }
                        LeaseStep::Sleep(*until)
                    }
                    ServerLifecycle::Running(connection) => LeaseStep::AwaitEnd(connection.clone()),
                    ServerLifecycle::Idle | ServerLifecycle::Failed { .. } => {
                        LeaseStep::Wait(self.start(&mut state))
                    }
                }
            };
            match step {
                LeaseStep::Sleep(until) => sleep_until(until).await,
                LeaseStep::AwaitEnd(connection) => {
                    // Its monitor sets the state, unless it ended together with its runtime.
                    if connection.wait_end_reason().await.is_none() {
                        self.release_idle(&connection);
                    }
                }
                LeaseStep::Wait(mut outcome) => {
                    match outcome.wait_for(Option::is_some).await.as_deref() {
                        Ok(Some(Err(error))) => return Err(error.clone()),
                        Ok(_) => {}
                        Err(_) => self.start_aborted(),
                    }
                }
            }
        }
    }

    /// Handles a connection that ended unexpectedly.
    pub(super) fn connection_lost(&self, connection: &Arc<Connection>, reason: &str) {
        if connection.answered.load(Ordering::Acquire) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
        if self.is_current(connection) {
            self.record_failure(UpstreamError::Gone {
                server: self.config.name.clone(),
                reason: reason.into(),
                output: connection.tail.last(usize::MAX),
            });
        }
    }

    /// Releases a connection that is not in use. Returns whether it may end.
    pub(super) fn release_idle(&self, connection: &Arc<Connection>) -> bool {
        let mut state = self.state();
        let unused = connection.calls.load(Ordering::Acquire) == 0 || connection.is_closed();
        let held =
            matches!(&*state, ServerLifecycle::Running(held) if Arc::ptr_eq(held, connection));
        if unused && held {
            if connection.answered.load(Ordering::Acquire) > 0 {
                self.failures.store(0, Ordering::Relaxed);
            }
            *state = ServerLifecycle::Idle;
        }
        unused
    }

    /// Closes the server for good. Returns the connection to wait for, if there is one.
    pub(super) fn close(&self) -> Option<Arc<Connection>> {
        match std::mem::replace(&mut *self.state(), ServerLifecycle::Closed) {
            ServerLifecycle::Starting(task, _) => {
                task.abort();
                None
            }
            ServerLifecycle::Running(connection) => {
                connection.stop.cancel();
                Some(connection)
            }
            _ => None,
        }
    }

    /// Returns a closure that writes the server's description to the cache, for the next process.
    pub(super) fn cache_writer(
        &self,
        connection: &Connection,
    ) -> Option<impl FnOnce() + Send + use<>> {
        let listing = connection.current_tools()?;
        *self.remembered_lock() = RememberedTools::Read(Some(listing.clone()));
        let cache = self.cache.clone()?;
        let started_in = *self.started_in.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = CachedServer {
            identity: self.identity.server.to_string(),
            era: connection.description.era,
            protocol: connection.description.protocol.clone(),
            definitions: listing.tools().iter().map(|tool| (*tool.definition).clone()).collect(),
            listed_at: self.clock.now(),
            started_in: started_in.unwrap_or_default(),
        };
        let name = self.config.name.clone();
        Some(move || {
            // The cache is optional, so an error in writing it is ignored.
            let _ = cache.put(&name, cached);
        })
    }

    fn remembered_lock(&self) -> MutexGuard<'_, RememberedTools> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_current(&self, connection: &Arc<Connection>) -> bool {
        matches!(&*self.state(), ServerLifecycle::Running(held) if Arc::ptr_eq(held, connection))
    }

    pub(super) fn record_failure(&self, error: UpstreamError) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed).min(16);
        let pause = (SHORTEST_BACK_OFF * 2u32.pow(failures)).min(LONGEST_BACK_OFF);
        let mut state = self.state();
        if !matches!(*state, ServerLifecycle::Closed) {
            *state = ServerLifecycle::Failed { error, until: Instant::now() + pause };
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ServerLifecycle> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UpstreamServer {
    fn drop(&mut self) {
        self.close();
    }
}
