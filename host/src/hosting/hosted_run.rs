//! One run of a host: its state, its clients, and its retention.

use super::client::{Client, wait_until};
use super::ended_run::EndedRun;
use super::run_clients::{RunClients, WaitingRequest};
use super::run_state::HostedRunState;
use super::run_watcher::RunWatcher;
use super::shown_questions::ShownQuestions;
use super::wait::CancelRequest;
use crate::event::{Event, EventSink};
use crate::model::{AskId, Question, QuestionId, RunId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// A run of a [`RunHost`](super::RunHost).
pub struct HostedRun {
    id: RunId,
    watcher: RunWatcher,
    pub(super) state: watch::Sender<HostedRunState>,
    pub(super) retention: watch::Sender<Retention>,
    pub(super) clients: RunClients,
    /// Whether it ever asked: a client may come back for its outcome.
    asked: AtomicBool,
    shown: Mutex<ShownQuestions>,
}

/// Whether a run stays in memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Retention {
    /// It stays.
    Keep,
    /// It is released to the journal, unless it continues before that.
    Release,
    /// A client cancelled it.
    Cancelled(CancelRequest),
}

impl HostedRun {
    pub(super) fn new(id: RunId, state: HostedRunState) -> HostedRun {
        HostedRun {
            id,
            watcher: RunWatcher::default(),
            state: watch::Sender::new(state),
            retention: watch::Sender::new(Retention::Keep),
            clients: RunClients::default(),
            asked: AtomicBool::new(false),
            shown: Mutex::default(),
        }
    }

    /// Returns a run that is already over, or that cannot continue here.
    pub(super) fn already_ended(ended: EndedRun) -> Arc<HostedRun> {
        Arc::new(HostedRun::new(ended.run, HostedRunState::Ended(Arc::new(ended))))
    }

    /// Returns the id of the run.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Returns a receiver for the state of the run and its changes.
    pub fn state(&self) -> watch::Receiver<HostedRunState> {
        self.state.subscribe()
    }

    /// Returns the watcher of the run.
    pub fn watcher(&self) -> &RunWatcher {
        &self.watcher
    }

    /// Adds a client. The run continues as long as one of its clients is present.
    pub(super) fn add_client(&self, client: &Client) {
        let forgotten = self.clients.add(client);
        self.watcher.forget_clients(&forgotten);
    }

    /// Registers a request of a client that waits for the run, for as long as the returned value
    /// lives. Such a run is not released to the journal to free memory.
    pub fn register_request(&self, client: &Client) -> WaitingRequest<'_> {
        self.add_client(client);
        self.clients.register_request(client)
    }

    /// Reports whether the run waits only for a person, and no request waits for the run.
    pub(super) fn is_idle(&self) -> bool {
        !self.clients.has_requests() && self.is_waiting()
    }

    /// Reports whether the run waits only for a person. If a part of a question is decided, its
    /// calls may be in flight: then the run does not only wait.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(&*self.state.borrow(), HostedRunState::Asking(_)) && self.watcher.is_quiet()
    }

    /// Reports whether the run ever asked.
    pub(super) fn has_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Reports whether a question is open.
    pub fn has_open_question(&self, question: QuestionId) -> bool {
        match &*self.state.borrow() {
            HostedRunState::Asking(open) => open.iter().any(|open| open.id == question),
            _ => false,
        }
    }

    fn shown_questions(&self) -> MutexGuard<'_, ShownQuestions> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the asks of a question that a client is shown.
    pub fn record_shown(&self, question: &Question) {
        self.shown_questions().record(question);
    }

    /// Returns the digests of the asks that clients were shown of a question, or `None` if it was
    /// not shown.
    pub fn shown(&self, question: QuestionId) -> Option<BTreeMap<AskId, String>> {
        self.shown_questions().find(question)
    }

    /// Requests the release to the journal. It does not happen if the run continues before that.
    pub(super) fn release(&self) {
        self.retention.send_if_modified(|retention| {
            let keeps = *retention == Retention::Keep;
            if keeps {
                *retention = Retention::Release;
            }
            keeps
        });
    }

    /// Withdraws the release if the run no longer waits. Reports whether it did.
    pub(super) fn withdraw_release(&self) -> bool {
        self.retention.send_if_modified(|retention| {
            let stays = *retention == Retention::Release && !self.is_waiting();
            if stays {
                *retention = Retention::Keep;
            }
            stays
        })
    }

    /// Waits until the run is released to the journal or the release is withdrawn.
    pub(super) async fn wait_released(&self) {
        let (mut state, mut retention) = (self.state.subscribe(), self.retention.subscribe());
        tokio::select! {
            () = wait_until(&mut state, |state| matches!(state, HostedRunState::Ended(_))) => {}
            () = wait_until(&mut retention, |retention| *retention == Retention::Keep) => {}
        }
    }

    /// Ends the run with its calls in flight, for all clients. The run counts as aborted, so nobody
    /// resumes it as if it had been cut off.
    pub fn cancel(&self, request: CancelRequest) {
        self.retention.send_replace(Retention::Cancelled(request));
    }
}

impl EventSink for HostedRun {
    fn event(&self, event: &Event) {
        if let Event::Asked { .. } | Event::Resumed { .. } = event {
            self.asked.store(true, Ordering::Relaxed);
        }
        self.watcher.event(event);
    }
}

impl fmt::Debug for HostedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedRun")
            .field("id", &self.id)
            .field("state", &*self.state.borrow())
            .finish_non_exhaustive()
    }
}
