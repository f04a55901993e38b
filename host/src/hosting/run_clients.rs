//! The clients of one run: the one that started it, and those that waited for it.
//!
//! **Invariant:** a run continues as long as one of its clients is present.

use super::client::{Client, ClientId, wait_until};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// The clients of a run, with the requests of each that wait for it.
#[derive(Default)]
pub(super) struct RunClients(watch::Sender<Vec<RunClient>>);

struct RunClient {
    client: Client,
    requests: BTreeSet<RequestNumber>,
}

/// Identifies a waiting request within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RequestNumber(u64);

/// A request that waits for a run, for as long as this value lives.
#[must_use = "a request waits for as long as this lives"]
pub struct WaitingRequest<'a> {
    clients: &'a RunClients,
    client: Client,
    number: RequestNumber,
}

impl WaitingRequest<'_> {
    /// Returns the client that made the request.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

impl fmt::Debug for WaitingRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WaitingRequest");
        shown.field("client", &self.client).field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.clients.remove_request(self);
    }
}

impl RunClients {
    /// Adds a client and removes those that are gone. Returns the removed ones.
    pub(super) fn add(&self, client: &Client) -> Vec<ClientId> {
        let mut forgotten = Vec::new();
        self.0.send_modify(|clients| {
            clients.retain(|entry| {
                let stays = !entry.requests.is_empty() || !entry.client.is_gone();
                if !stays {
                    forgotten.push(entry.client.id());
                }
                stays
            });
            if !clients.iter().any(|entry| entry.client.id() == client.id()) {
                clients.push(RunClient { client: client.clone(), requests: BTreeSet::new() });
            }
        });
        forgotten
    }

    /// Registers a request of a client that was added.
    pub(super) fn register_request(&self, client: &Client) -> WaitingRequest<'_> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = RequestNumber(NEXT.fetch_add(1, Ordering::Relaxed));
        self.0.send_modify(|clients| {
            match clients.iter_mut().find(|entry| entry.client.id() == client.id()) {
                Some(entry) => {
                    entry.requests.insert(number);
                }
                None => {
                    let requests = BTreeSet::from([number]);
                    clients.push(RunClient { client: client.clone(), requests });
                }
            }
        });
        WaitingRequest { clients: self, client: client.clone(), number }
    }

    /// Reports whether a request waits for the run.
    pub(super) fn has_requests(&self) -> bool {
        self.0.borrow().iter().any(|entry| !entry.requests.is_empty())
    }

    /// Removes a request that no longer waits. Reports whether another one waits for the run, of a
    /// client that is present: of several requests that are removed at the same time, the last one
    /// finds none.
    pub(super) fn remove_request(&self, request: &WaitingRequest<'_>) -> bool {
        let mut others_wait = false;
        self.0.send_modify(|clients| {
            for entry in clients {
                entry.requests.remove(&request.number);
                others_wait |= !entry.requests.is_empty() && !entry.client.is_gone();
            }
        });
        others_wait
    }

    /// Reports whether a client of the run is present.
    pub(super) fn any_present(&self) -> bool {
        self.0.borrow().iter().any(|entry| !entry.client.is_gone())
    }

    /// Waits until no client of the run is present.
    pub(super) async fn all_gone(&self) {
        let mut clients = self.0.subscribe();
        loop {
            let present = {
                let clients = clients.borrow_and_update();
                clients.iter().map(|entry| &entry.client).find(|client| !client.is_gone()).cloned()
            };
            let Some(client) = present else { return };
            // A client that is added later is found after the present one is gone.
            client.wait_gone().await;
        }
    }

    /// Waits until a client of the run is present.
    pub(super) async fn someone_present(&self) {
        let present =
            |clients: &Vec<RunClient>| clients.iter().any(|entry| !entry.client.is_gone());
        wait_until(&mut self.0.subscribe(), present).await;
    }
}
