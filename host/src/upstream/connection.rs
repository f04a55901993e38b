//! A server that answers: what calls need of it while it runs.

use super::client::ToolListChanges;
use super::error::UpstreamError;
use super::identity::ServerIdentity;
use super::listing::{self, ServerTools};
use crate::model::{ProtocolEra, span};
use crate::upstream::output_tail::OutputTail;
use crate::upstream::progress_tracker::ProgressTracker;
use rmcp::service::{Peer, RoleClient};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long a caller waits to hear why its server went away. The keeper knows within half of it.
const WHY: Duration = Duration::from_secs(1);

/// A running server.
pub(super) struct Connection {
    pub(super) server: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) board: Arc<ProgressTracker>,
    pub(super) changes: Arc<ToolListChanges>,
    pub(super) tail: Arc<OutputTail>,
    /// How long a list may take.
    limit: Duration,
    pub(super) about: ServerDescription,
    /// Ends the connection when cancelled.
    pub(super) stop: CancellationToken,
    /// Why it ended, once it has.
    pub(super) over: watch::Sender<Option<Arc<str>>>,
    /// Cancelled when nothing of it is left.
    pub(super) ended: CancellationToken,
    /// Calls that are out.
    pub(super) calls: AtomicUsize,
    /// Calls that were answered.
    pub(super) served: AtomicU64,
    last_use: RwLock<Instant>,
    /// The newest list, and how often the server had said by then that its tools changed.
    listing: RwLock<Option<(u64, Arc<ServerTools>)>>,
    /// The list that is under way.
    asking: Mutex<Option<PendingListing>>,
    identity: ServerIdentity,
}

type ListingResult = Result<Arc<ServerTools>, UpstreamError>;

/// A list that somebody asked for, and all others wait for.
#[derive(Clone)]
struct PendingListing {
    /// How often the server had said by then that its tools changed.
    changes: u64,
    outcome: watch::Receiver<Option<ListingResult>>,
}

/// What to do about a list that is needed.
enum ListingTurn {
    Ask(u64, watch::Sender<Option<ListingResult>>),
    Wait(PendingListing),
}

/// What a server said of itself, and how it runs.
#[derive(Clone, Debug)]
pub(super) struct ServerDescription {
    pub(super) era: ProtocolEra,
    pub(super) protocol: String,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    /// Whether it says when its tools change.
    pub(super) tells: bool,
    pub(super) pid: Option<u32>,
    pub(super) group: Option<i32>,
}

/// What a connection is made of.
pub(super) struct ConnectionParts {
    pub(super) server: String,
    pub(super) identity: ServerIdentity,
    pub(super) peer: Peer<RoleClient>,
    pub(super) board: Arc<ProgressTracker>,
    pub(super) changes: Arc<ToolListChanges>,
    pub(super) tail: Arc<OutputTail>,
    pub(super) limit: Duration,
    pub(super) about: ServerDescription,
    pub(super) stop: CancellationToken,
}

impl Connection {
    /// Returns a connection that has listed nothing yet.
    pub(super) fn new(parts: ConnectionParts) -> Connection {
        let ConnectionParts { server, identity, peer, board, changes, tail, limit, about, stop } =
            parts;
        Connection {
            server,
            peer,
            board,
            changes,
            tail,
            limit,
            about,
            stop,
            over: watch::Sender::new(None),
            ended: CancellationToken::new(),
            calls: AtomicUsize::new(0),
            served: AtomicU64::new(0),
            last_use: RwLock::new(Instant::now()),
            listing: RwLock::new(None),
            asking: Mutex::new(None),
            identity,
        }
    }

    /// Returns whether nothing can be sent any more.
    pub(super) fn is_over(&self) -> bool {
        self.peer.is_transport_closed() || self.stop.is_cancelled()
    }

    /// Returns the tools, unless the server said that they changed since.
    pub(super) fn fresh(&self) -> Option<Arc<ServerTools>> {
        if self.is_over() {
            return None;
        }
        let listing = self.listing.read().unwrap_or_else(PoisonError::into_inner);
        let (changes, listing) = listing.as_ref()?;
        (*changes == self.changes.count()).then(|| listing.clone())
    }

    /// Returns the tools, asking the server if need be: once, however many wait, who share the
    /// outcome. Nobody waits for longer than a list may take.
    pub(super) async fn list(&self) -> ListingResult {
        let (end, known) = (Instant::now() + self.limit, self.changes.count());
        loop {
            if let Some(listing) = self.fresh() {
                return Ok(listing);
            }
            let mut asking = match self.turn() {
                ListingTurn::Ask(changes, told) => {
                    let listed = self.ask(changes, end).await;
                    told.send_replace(Some(listed.clone()));
                    return listed;
                }
                ListingTurn::Wait(asking) => asking,
            };
            let told = timeout_at(end, asking.outcome.wait_for(Option::is_some)).await;
            match told.map(|told| told.ok().and_then(|listed| listed.clone())) {
                Err(_) => return Err(self.unlisted(self.late())),
                // Whoever asked stopped waiting.
                Ok(None) => {}
                // A list from before a change is nothing to those who know of it.
                Ok(Some(Ok(_))) if asking.changes < known => {}
                Ok(Some(listed)) => return listed,
            }
        }
    }

    /// Joins those who wait for a list, or is the one to ask for it.
    fn turn(&self) -> ListingTurn {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        match &*asking {
            // Nothing can come any more of a list that nobody asks for.
            Some(asked) if asked.outcome.has_changed().is_ok() => ListingTurn::Wait(asked.clone()),
            _ => {
                let (told, outcome) = watch::channel(None);
                let changes = self.changes.count();
                *asking = Some(PendingListing { changes, outcome });
                ListingTurn::Ask(changes, told)
            }
        }
    }

    async fn ask(&self, changes: u64, end: Instant) -> ListingResult {
        let fetched = listing::fetch(&self.peer, &self.server, &self.identity, self.tail.secrets());
        let fetched = timeout_at(end, fetched).await.unwrap_or_else(|_| Err(self.late()));
        let listing = fetched.map(Arc::new).map_err(|reason| self.unlisted(reason))?;
        // If they changed meanwhile, they are listed again; what is returned is as good as any.
        let mut newest = self.listing.write().unwrap_or_else(PoisonError::into_inner);
        *newest = Some((changes, listing.clone()));
        Ok(listing)
    }

    fn late(&self) -> String {
        format!("no answer within {}", span(self.limit))
    }

    fn unlisted(&self, reason: String) -> UpstreamError {
        UpstreamError::Listing { server: self.server.clone(), reason }
    }

    /// Takes note that it is in use.
    pub(super) fn touch(&self) {
        *self.last_use.write().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns when it was last used.
    pub(super) fn last_use(&self) -> Instant {
        *self.last_use.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is known why it ended. Returns nothing if nobody is left to say so.
    pub(super) async fn why(&self) -> Option<Arc<str>> {
        let mut over = self.over.subscribe();
        let why = timeout(WHY, over.wait_for(Option::is_some)).await;
        why.ok()?.ok()?.clone()
    }

    /// Returns why it went away, as those who waited for an answer are told.
    pub(super) async fn gone(&self) -> UpstreamError {
        let reason = self.why().await.unwrap_or_else(|| "it closed the connection".into());
        let reason = String::from(&*reason);
        UpstreamError::Gone {
            server: self.server.clone(),
            reason,
            said: self.tail.last(usize::MAX),
        }
    }
}

/// A use of a connection; it is not reaped meanwhile.
pub(super) struct ConnectionLease(Arc<Connection>);

impl ConnectionLease {
    /// Takes a connection into use.
    pub(super) fn new(connection: Arc<Connection>) -> ConnectionLease {
        connection.calls.fetch_add(1, Ordering::AcqRel);
        ConnectionLease(connection)
    }
}

impl std::ops::Deref for ConnectionLease {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        self.0.touch();
        self.0.calls.fetch_sub(1, Ordering::AcqRel);
    }
}
