//! Starts a server: once, in its own task, and with its tools listed before it is used.

use super::connect::{self, StartedServer};
use super::error::UpstreamError;
use super::secrets::ServerSecrets;
use super::server::{ServerLifecycle, StartResult, UpstreamServer};
use crate::model::format_span;
use crate::upstream::monitor;
use crate::upstream::output_tail::OutputTail;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tracing::{debug, info};

impl UpstreamServer {
    /// Starts the server in its own task, since its callers may be dropped.
    pub(super) fn start(
        self: &Arc<Self>,
        state: &mut ServerLifecycle,
    ) -> watch::Receiver<Option<StartResult>> {
        let (sender, outcome) = watch::channel(None);
        let server = self.clone();
        let task = tokio::spawn(async move {
            let outcome = server.begin().await;
            sender.send_replace(Some(outcome));
        });
        *state = ServerLifecycle::Starting(task.abort_handle(), outcome.clone());
        outcome
    }

    /// Handles a start task that was aborted together with its runtime.
    pub(super) fn start_aborted(&self) {
        let mut state = self.state();
        if let ServerLifecycle::Starting(task, _) = &*state
            && task.is_finished()
        {
            *state = ServerLifecycle::Idle;
        }
    }

    async fn begin(self: &Arc<Self>) -> StartResult {
        // Checked right before the start, since files may have changed after the project was read.
        let scripts = self.config.pinned.clone();
        let changed = tokio::task::spawn_blocking(move || scripts.changed()).await;
        // Files that could not be checked count as changed.
        let files = changed.unwrap_or_else(|_| vec!["?".into()]);
        if !files.is_empty() {
            let mut state = self.state();
            if !matches!(*state, ServerLifecycle::Closed) {
                *state = ServerLifecycle::Idle;
            }
            return Err(UpstreamError::Untrusted { server: self.config.name.clone(), files });
        }
        self.starts.fetch_add(1, Ordering::Relaxed);
        let tail = Arc::new(OutputTail::new(Arc::new(ServerSecrets::of(&self.config))));
        *self.tail.lock().unwrap_or_else(PoisonError::into_inner) = tail.clone();
        let began = Instant::now();
        debug!(target: "pml::server", server = self.config.name, "server starts");
        let connected = timeout(self.config.start_timeout, self.connect(&tail)).await;
        let reason = match connected {
            Ok(Ok(StartedServer { connection, service, process })) => {
                let connection = Arc::new(connection);
                let mut state = self.state();
                if matches!(*state, ServerLifecycle::Closed) {
                    return Err(UpstreamError::Closed(self.config.name.clone()));
                }
                let took = began.elapsed();
                *self.started_in.lock().unwrap_or_else(PoisonError::into_inner) = Some(took);
                let (server, pid) = (self.config.name.as_str(), connection.description.pid);
                let tools = connection.current_tools().map(|listing| listing.tools().len());
                info!(target: "pml::server", server, pid, tools, took = format_span(took), "server started");
                *state = ServerLifecycle::Running(connection.clone());
                tokio::spawn(monitor::run(Arc::downgrade(self), connection, service, process));
                return Ok(());
            }
            Ok(Err(reason)) => reason,
            Err(_) => {
                format!("it did not answer within {}", format_span(self.config.start_timeout))
            }
        };
        let error = UpstreamError::Start {
            server: self.config.name.clone(),
            local: self.config.is_local(),
            reason,
            output: tail.last(usize::MAX),
        };
        let (server, code, lines) = (self.config.name.as_str(), error.code(), tail.count());
        info!(target: "pml::server", server, %code, stderr_lines = lines, "server did not start");
        self.record_failure(error.clone());
        Err(error)
    }

    async fn connect(&self, tail: &Arc<OutputTail>) -> Result<StartedServer, String> {
        let era = self.cached().map(|cached| cached.era);
        let connected = connect::connect(&self.config, &self.identity, era, tail).await?;
        match connected.connection.list().await {
            Ok(_) => Ok(connected),
            Err(_) if connected.connection.is_closed() => {
                Err(connected.end().await.unwrap_or_else(|| "it closed the connection".into()))
            }
            Err(error) => {
                connected.end().await;
                Err(format!("it does not list its tools: {}", error.reason()))
            }
        }
    }
}
