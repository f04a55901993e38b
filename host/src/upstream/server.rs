//! One server of the configuration, whether it runs or not.
//!
//! It is started on first use, once, however many wait for it; they share the outcome. After a failure it is left alone for
//! a while that doubles with each failure, from 100 ms up to 30 s, until a call has been answered. A use within that while
//! waits for its end if it is at most a second away, and else fails at once with the reason and the time.

use super::connect::{self, Connected};
use super::connection::{Connection, Lease};
use super::error::{UpstreamError, brief};
use super::keeper;
use super::listing::Listing;
use super::tail::Tail;
use crate::config::{Launch, ServerConfig};
use crate::model::{Clock, Secret};
use crate::store::{Remembered, ServerCache};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// The shortest time that a server is left alone after a failure.
const BACK_OFF: Duration = Duration::from_millis(100);

/// And the longest.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

/// Whoever needs it waits this long for a server that is left alone.
const WAIT: Duration = Duration::from_secs(1);

/// A server and what becomes of it.
pub(super) struct Server {
    pub(super) config: ServerConfig,
    cache: Option<ServerCache>,
    clock: Arc<dyn Clock>,
    identity: Arc<str>,
    pub(super) state: Mutex<State>,
    /// What it said last, from the newest start on.
    pub(super) tail: Mutex<Arc<Tail>>,
    remembered: OnceLock<Option<Arc<Listing>>>,
    pub(super) starts: AtomicU32,
    failures: AtomicU32,
    pub(super) started_in: Mutex<Option<Duration>>,
}

/// Whether it runs.
pub(super) enum State {
    Idle,
    Starting(AbortHandle, watch::Receiver<Option<Outcome>>),
    Running(Arc<Connection>),
    Failed { error: UpstreamError, until: Instant },
    Closed,
}

type Outcome = Result<(), UpstreamError>;

/// What to do next about a server that is needed.
enum Step {
    Wait(watch::Receiver<Option<Outcome>>),
    Sleep(Instant),
}

impl Server {
    /// Returns a server that does not run.
    pub(super) fn new(
        config: ServerConfig,
        cache: Option<ServerCache>,
        clock: Arc<dyn Clock>,
    ) -> Server {
        Server {
            identity: config.identity.as_str().into(),
            config,
            cache,
            clock,
            state: Mutex::new(State::Idle),
            tail: Mutex::default(),
            remembered: OnceLock::new(),
            starts: AtomicU32::new(0),
            failures: AtomicU32::new(0),
            started_in: Mutex::new(None),
        }
    }

    /// Returns its tools, if it runs and they are known.
    pub(super) fn listed(&self) -> Option<Arc<Listing>> {
        match &*self.state() {
            State::Running(connection) => connection.fresh(),
            _ => None,
        }
    }

    /// Returns what it offered when it last ran.
    pub(super) fn remembered(&self) -> Option<Arc<Listing>> {
        let read = || {
            let said = self.said()?;
            Some(Arc::new(Listing::new(said.definitions.clone(), &self.identity, said.era)))
        };
        self.remembered.get_or_init(read).clone()
    }

    /// Returns what it said when it last ran.
    pub(super) fn said(&self) -> Option<Arc<Remembered>> {
        self.cache.as_ref()?.get(&self.config.name, &self.identity)
    }

    /// Returns a running server to use, starting it if need be.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, UpstreamError> {
        if !self.config.missing.is_empty() {
            let (server, variables) = (self.config.name.clone(), self.config.missing.clone());
            return Err(UpstreamError::Missing { server, variables });
        }
        loop {
            let step = {
                let mut state = self.state();
                match &*state {
                    State::Running(connection) if !connection.is_over() => {
                        return Ok(Lease::new(connection.clone()));
                    }
                    State::Closed => return Err(UpstreamError::Closed(self.config.name.clone())),
                    State::Starting(_, outcome) => Step::Wait(outcome.clone()),
                    State::Failed { error, until } if *until > Instant::now() => {
                        let again_in = *until - Instant::now();
                        if again_in > WAIT {
                            let server = self.config.name.clone();
                            let reason = error.reason();
                            return Err(UpstreamError::BackingOff { server, reason, again_in });
                        }
                        Step::Sleep(*until)
                    }
                    State::Idle | State::Running(_) | State::Failed { .. } => {
                        Step::Wait(self.start(&mut state))
                    }
                }
            };
            match step {
                Step::Sleep(until) => sleep_until(until).await,
                Step::Wait(mut outcome) => match outcome.wait_for(Option::is_some).await.as_deref()
                {
                    Ok(Some(Err(error))) => return Err(error.clone()),
                    Ok(_) => {}
                    Err(_) => self.cut_off(),
                },
            }
        }
    }

    /// Starts it in a task of its own: those who wait for it may go away.
    fn start(self: &Arc<Self>, state: &mut State) -> watch::Receiver<Option<Outcome>> {
        let (told, outcome) = watch::channel(None);
        let server = self.clone();
        let task = tokio::spawn(async move {
            let outcome = server.begin().await;
            told.send_replace(Some(outcome));
        });
        *state = State::Starting(task.abort_handle(), outcome.clone());
        outcome
    }

    /// The task that starts it was cut off, with its runtime.
    fn cut_off(&self) {
        let mut state = self.state();
        if let State::Starting(task, _) = &*state
            && task.is_finished()
        {
            *state = State::Idle;
        }
    }

    async fn begin(self: &Arc<Self>) -> Outcome {
        self.starts.fetch_add(1, Ordering::Relaxed);
        let tail = Arc::new(Tail::new(secrets(&self.config.launch)));
        *self.tail.lock().unwrap_or_else(PoisonError::into_inner) = tail.clone();
        let began = Instant::now();
        let connected = timeout(self.config.start_timeout, self.connect(&tail)).await;
        let failed = match connected {
            Ok(Ok(Connected { connection, service, process })) => {
                let connection = Arc::new(connection);
                let mut state = self.state();
                if matches!(*state, State::Closed) {
                    return Err(UpstreamError::Closed(self.config.name.clone()));
                }
                let took = began.elapsed();
                *self.started_in.lock().unwrap_or_else(PoisonError::into_inner) = Some(took);
                *state = State::Running(connection.clone());
                tokio::spawn(keeper::keep(Arc::downgrade(self), connection, service, process));
                return Ok(());
            }
            Ok(Err(reason)) => reason,
            Err(_) => format!("it did not answer within {}", brief(self.config.start_timeout)),
        };
        let error = UpstreamError::Start {
            server: self.config.name.clone(),
            local: self.config.is_local(),
            reason: failed,
            said: tail.last(usize::MAX),
        };
        self.fail(error.clone());
        Err(error)
    }

    async fn connect(&self, tail: &Arc<Tail>) -> Result<Connected, String> {
        let era = self.said().map(|said| said.era);
        let connected = connect::connect(&self.config, &self.identity, era, tail).await?;
        match connected.connection.list().await {
            Ok(_) => Ok(connected),
            Err(_) if connected.connection.is_over() => {
                Err(connected.end().await.unwrap_or_else(|| "it closed the connection".into()))
            }
            Err(error) => {
                connected.end().await;
                Err(format!("it does not list its tools: {}", error.reason()))
            }
        }
    }

    /// A connection ended that nobody wanted to end.
    pub(super) fn went_away(&self, connection: &Arc<Connection>, reason: &str) {
        if connection.served.load(Ordering::Acquire) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
        if self.holds(connection) {
            self.fail(UpstreamError::Gone {
                server: self.config.name.clone(),
                reason: reason.into(),
                said: connection.tail.last(usize::MAX),
            });
        }
    }

    /// Lets go of a connection that is not in use. Returns whether it may end.
    pub(super) fn retire(&self, connection: &Arc<Connection>) -> bool {
        let mut state = self.state();
        let unused = connection.calls.load(Ordering::Acquire) == 0;
        let held = matches!(&*state, State::Running(held) if Arc::ptr_eq(held, connection));
        if unused && held {
            *state = State::Idle;
        }
        unused
    }

    /// Lets go of everything, for good. Returns what is to be waited for.
    pub(super) fn close(&self) -> Option<Arc<Connection>> {
        match std::mem::replace(&mut *self.state(), State::Closed) {
            State::Starting(task, _) => {
                task.abort();
                None
            }
            State::Running(connection) => {
                connection.stop.cancel();
                Some(connection)
            }
            _ => None,
        }
    }

    /// Returns what keeps what it said for the next process.
    pub(super) fn remember(&self, connection: &Connection) -> Option<impl FnOnce() + Send + use<>> {
        let (cache, listing) = (self.cache.clone()?, connection.fresh()?);
        let started_in = *self.started_in.lock().unwrap_or_else(PoisonError::into_inner);
        let said = Remembered {
            identity: self.identity.to_string(),
            era: connection.about.era,
            protocol: connection.about.protocol.clone(),
            definitions: listing.tools().iter().map(|tool| (*tool.definition).clone()).collect(),
            listed_at: self.clock.now(),
            started_in: started_in.unwrap_or_default(),
        };
        let name = self.config.name.clone();
        Some(move || {
            // A cache that cannot be written is none; the server works without.
            let _ = cache.put(&name, said);
        })
    }

    fn holds(&self, connection: &Arc<Connection>) -> bool {
        matches!(&*self.state(), State::Running(held) if Arc::ptr_eq(held, connection))
    }

    fn fail(&self, error: UpstreamError) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed).min(16);
        let pause = (BACK_OFF * 2u32.pow(failures)).min(LONGEST_BACK_OFF);
        let mut state = self.state();
        if !matches!(*state, State::Closed) {
            *state = State::Failed { error, until: Instant::now() + pause };
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

/// Returns the values that must not be shown.
fn secrets(launch: &Launch) -> Vec<Secret> {
    let (Launch::Stdio { environment: declared, .. } | Launch::Http { headers: declared, .. }) =
        launch;
    declared.iter().map(|(_, secret)| secret.clone()).collect()
}
