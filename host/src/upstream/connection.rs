//! The connection to a running server, with the state that calls share.

use super::client::ToolListChanges;
use super::error::UpstreamError;
use super::identity::ServerIdentity;
use super::listing::{self, ServerTools};
use crate::model::{ProtocolEra, format_span};
use crate::upstream::output_tail::OutputTail;
use crate::upstream::progress_tracker::ProgressTracker;
use rmcp::service::{Peer, RoleClient};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// Maximum time that a caller waits for the reason why its server ended. The monitor knows it
/// within half of that.
const REASON_TIMEOUT: Duration = Duration::from_secs(1);

/// The connection to a running server.
pub(super) struct Connection {
    pub(super) server: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) tracker: Arc<ProgressTracker>,
    pub(super) changes: Arc<ToolListChanges>,
    pub(super) tail: Arc<OutputTail>,
    /// Time limit for listing the tools.
    limit: Duration,
    pub(super) description: ServerDescription,
    /// Ends the connection when cancelled.
    pub(super) stop: CancellationToken,
    /// The reason why it ended, once it has.
    pub(super) end_reason: watch::Sender<Option<Arc<str>>>,
    /// Cancelled when the server's process and connection are gone.
    pub(super) ended: CancellationToken,
    /// Number of calls in flight.
    pub(super) calls: AtomicUsize,
    /// Number of answered calls.
    pub(super) answered: AtomicU64,
    last_use: RwLock<Instant>,
    /// The newest list of tools, and the number of change notifications when it was requested.
    listing: RwLock<Option<(u64, Arc<ServerTools>)>>,
    /// The list that is being requested.
    pending_listing: Mutex<Option<PendingListing>>,
    identity: ServerIdentity,
}

type ListingResult = Result<Arc<ServerTools>, UpstreamError>;

/// A request for the list of tools, which all callers share.
#[derive(Clone)]
struct PendingListing {
    /// The number of change notifications when it was sent.
    changes: u64,
    outcome: watch::Receiver<Option<ListingResult>>,
}

/// The role of a caller that needs the list of tools.
enum ListingTurn {
    Ask(u64, watch::Sender<Option<ListingResult>>),
    Wait(PendingListing),
}

/// The server's description of itself, and its process.
#[derive(Clone, Debug)]
pub(super) struct ServerDescription {
    pub(super) era: ProtocolEra,
    pub(super) protocol: String,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    /// Whether it sends notifications when its tools change.
    pub(super) announces_changes: bool,
    pub(super) pid: Option<u32>,
    pub(super) group: Option<i32>,
}

/// The values that a connection is made from.
pub(super) struct ConnectionParts {
    pub(super) server: String,
    pub(super) identity: ServerIdentity,
    pub(super) peer: Peer<RoleClient>,
    pub(super) tracker: Arc<ProgressTracker>,
    pub(super) changes: Arc<ToolListChanges>,
    pub(super) tail: Arc<OutputTail>,
    pub(super) limit: Duration,
    pub(super) description: ServerDescription,
    pub(super) stop: CancellationToken,
}

impl Connection {
    /// Returns a connection that has no list of tools yet.
    pub(super) fn new(parts: ConnectionParts) -> Connection {
        let ConnectionParts {
            server,
            identity,
            peer,
            tracker,
            changes,
            tail,
            limit,
            description,
            stop,
        } = parts;
        Connection {
            server,
            peer,
            tracker,
            changes,
            tail,
            limit,
            description,
            stop,
            end_reason: watch::Sender::new(None),
            ended: CancellationToken::new(),
            calls: AtomicUsize::new(0),
            answered: AtomicU64::new(0),
            last_use: RwLock::new(Instant::now()),
            listing: RwLock::new(None),
            pending_listing: Mutex::new(None),
            identity,
        }
    }

    /// Reports whether the connection is closed for sending.
    pub(super) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed() || self.stop.is_cancelled()
    }

    /// Returns the tools, unless the server reported a change since they were listed.
    pub(super) fn current_tools(&self) -> Option<Arc<ServerTools>> {
        if self.is_closed() {
            return None;
        }
        let listing = self.listing.read().unwrap_or_else(PoisonError::into_inner);
        let (changes, listing) = listing.as_ref()?;
        (*changes == self.changes.count()).then(|| listing.clone())
    }

    /// Returns the tools, and requests them from the server if necessary. Concurrent callers share
    /// one request and its outcome. No caller waits longer than the time limit of a list.
    pub(super) async fn list(&self) -> ListingResult {
        let (end, known_changes) = (Instant::now() + self.limit, self.changes.count());
        loop {
            if let Some(listing) = self.current_tools() {
                return Ok(listing);
            }
            let mut pending_listing = match self.join_listing() {
                ListingTurn::Ask(changes, sender) => {
                    let listed = self.request_list(changes, end).await;
                    sender.send_replace(Some(listed.clone()));
                    return listed;
                }
                ListingTurn::Wait(pending_listing) => pending_listing,
            };
            let waited = timeout_at(end, pending_listing.outcome.wait_for(Option::is_some)).await;
            match waited.map(|outcome| outcome.ok().and_then(|listed| listed.clone())) {
                Err(_) => return Err(self.listing_error(self.timeout_message())),
                // The caller that requested the list stopped waiting.
                Ok(None) => {}
                // The list is older than a change that this caller knows of.
                Ok(Some(Ok(_))) if pending_listing.changes < known_changes => {}
                Ok(Some(listed)) => return listed,
            }
        }
    }

    /// Returns whether this caller requests the list or waits for another's request.
    fn join_listing(&self) -> ListingTurn {
        let mut pending_listing =
            self.pending_listing.lock().unwrap_or_else(PoisonError::into_inner);
        match &*pending_listing {
            // If the sender is gone, this request will never have an outcome.
            Some(pending) if pending.outcome.has_changed().is_ok() => {
                ListingTurn::Wait(pending.clone())
            }
            _ => {
                let (sender, outcome) = watch::channel(None);
                let changes = self.changes.count();
                *pending_listing = Some(PendingListing { changes, outcome });
                ListingTurn::Ask(changes, sender)
            }
        }
    }

    async fn request_list(&self, changes: u64, end: Instant) -> ListingResult {
        let fetched = listing::fetch(&self.peer, &self.server, &self.identity, self.tail.secrets());
        let fetched =
            timeout_at(end, fetched).await.unwrap_or_else(|_| Err(self.timeout_message()));
        let listing = fetched.map(Arc::new).map_err(|reason| self.listing_error(reason))?;
        // If the tools changed meanwhile, the next caller lists them again.
        let mut newest = self.listing.write().unwrap_or_else(PoisonError::into_inner);
        *newest = Some((changes, listing.clone()));
        Ok(listing)
    }

    fn timeout_message(&self) -> String {
        format!("no answer within {}", format_span(self.limit))
    }

    fn listing_error(&self, reason: String) -> UpstreamError {
        UpstreamError::Listing { server: self.server.clone(), reason }
    }

    /// Records that the connection is in use now.
    pub(super) fn touch(&self) {
        *self.last_use.write().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns the time of the last use.
    pub(super) fn last_use(&self) -> Instant {
        *self.last_use.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the reason why it ended. Returns `None` if there is none within the time limit.
    pub(super) async fn wait_end_reason(&self) -> Option<Arc<str>> {
        let mut reason = self.end_reason.subscribe();
        let reason = timeout(REASON_TIMEOUT, reason.wait_for(Option::is_some)).await;
        reason.ok()?.ok()?.clone()
    }

    /// Returns the error for callers whose server ended before it answered.
    pub(super) async fn gone_error(&self) -> UpstreamError {
        let reason =
            self.wait_end_reason().await.unwrap_or_else(|| "it closed the connection".into());
        let reason = String::from(&*reason);
        UpstreamError::Gone {
            server: self.server.clone(),
            reason,
            output: self.tail.last(usize::MAX),
        }
    }
}

/// A use of a connection. As long as it lives, the connection is not closed for being idle.
pub(super) struct ConnectionLease(Arc<Connection>);

impl ConnectionLease {
    /// Marks a connection as in use.
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
