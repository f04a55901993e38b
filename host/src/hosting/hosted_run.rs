//! One run of a host: its state, its clients, and whether it stays.

use super::client::{Client, until};
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
    /// Whether it ever asked: somebody may come back for its outcome.
    asked: AtomicBool,
    shown: Mutex<ShownQuestions>,
}

/// Whether a run stays with its host.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Retention {
    /// It stays.
    Keep,
    /// It goes to the journal, unless it goes on before that.
    Release,
    /// A client does not want it any more.
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

    /// Returns a run that is over already, or that cannot go on here.
    pub(super) fn already_ended(ended: EndedRun) -> Arc<HostedRun> {
        Arc::new(HostedRun::new(ended.run, HostedRunState::Ended(Arc::new(ended))))
    }

    /// Returns the id of the run.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Returns the state of the run, and its changes from here on.
    pub fn state(&self) -> watch::Receiver<HostedRunState> {
        self.state.subscribe()
    }

    /// Returns what is noticed of the run.
    pub fn watcher(&self) -> &RunWatcher {
        &self.watcher
    }

    /// Adds a client: the run goes on as long as one of its clients is present.
    pub(super) fn add_client(&self, client: &Client) {
        let forgotten = self.clients.add(client);
        self.watcher.forget_clients(&forgotten);
    }

    /// Counts a request of a client that waits for the run, for as long as the returned value
    /// lives. Such a run is not released to the journal to make room.
    pub fn register_request(&self, client: &Client) -> WaitingRequest<'_> {
        self.add_client(client);
        self.clients.register_request(client)
    }

    /// Returns whether nothing but a person is waited for, and by no request.
    pub(super) fn is_idle(&self) -> bool {
        !self.clients.has_requests() && self.is_waiting()
    }

    /// Returns whether nothing but a person is waited for. A part of what was asked may be decided:
    /// then its calls are out.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(&*self.state.borrow(), HostedRunState::Asking(_)) && self.watcher.is_quiet()
    }

    /// Returns whether it ever asked.
    pub(super) fn has_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns whether a question is open.
    pub fn has_open_question(&self, question: QuestionId) -> bool {
        match &*self.state.borrow() {
            HostedRunState::Asking(open) => open.iter().any(|open| open.id == question),
            _ => false,
        }
    }

    fn shown_questions(&self) -> MutexGuard<'_, ShownQuestions> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records what a client is shown of a question.
    pub fn record_shown(&self, question: &Question) {
        self.shown_questions().record(question);
    }

    /// Returns the digests of the asks that clients were shown of a question; `None` if they were
    /// shown none.
    pub fn shown(&self, question: QuestionId) -> Option<BTreeMap<AskId, String>> {
        self.shown_questions().find(question)
    }

    /// Asks for the release to the journal. It does not happen if the run goes on before that.
    pub(super) fn release(&self) {
        self.retention.send_if_modified(|retention| {
            let keeps = *retention == Retention::Keep;
            if keeps {
                *retention = Retention::Release;
            }
            keeps
        });
    }

    /// Withdraws the release if the run does not wait any more. Returns whether it did.
    pub(super) fn withdraw_release(&self) -> bool {
        self.retention.send_if_modified(|retention| {
            let stays = *retention == Retention::Release && !self.is_waiting();
            if stays {
                *retention = Retention::Keep;
            }
            stays
        })
    }

    /// Waits until the run is released to the journal, or stays after all.
    pub(super) async fn wait_released(&self) {
        let (mut state, mut retention) = (self.state.subscribe(), self.retention.subscribe());
        tokio::select! {
            () = until(&mut state, |state| matches!(state, HostedRunState::Ended(_))) => {}
            () = until(&mut retention, |retention| *retention == Retention::Keep) => {}
        }
    }

    /// Ends the run with the calls that are out, for all clients: nobody is to resume it as if it
    /// had been cut off.
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
