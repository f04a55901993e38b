//! The clients of one run: the one that started it, and those that waited for it.
//!
//! **Invariant:** a run continues as long as one of its clients is present.

use super::client::{Client, ClientId, wait_until};
use tokio::sync::watch;

/// The clients of a run, with the number of requests of each that wait for it.
#[derive(Default)]
pub(super) struct RunClients(watch::Sender<Vec<RunClient>>);

struct RunClient {
    client: Client,
    requests: usize,
}

/// A request that waits for a run, for as long as this value lives.
#[must_use = "a request waits for as long as this lives"]
pub struct WaitingRequest<'a> {
    clients: &'a RunClients,
    client: ClientId,
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.clients.0.send_modify(|clients| {
            if let Some(entry) = clients.iter_mut().find(|entry| entry.client.id() == self.client) {
                entry.requests -= 1;
            }
        });
    }
}

impl RunClients {
    /// Adds a client and removes those that are gone. Returns the removed ones.
    pub(super) fn add(&self, client: &Client) -> Vec<ClientId> {
        let mut forgotten = Vec::new();
        self.0.send_modify(|clients| {
            clients.retain(|entry| {
                let stays = entry.requests > 0 || !entry.client.is_gone();
                if !stays {
                    forgotten.push(entry.client.id());
                }
                stays
            });
            if !clients.iter().any(|entry| entry.client.id() == client.id()) {
                clients.push(RunClient { client: client.clone(), requests: 0 });
            }
        });
        forgotten
    }

    /// Counts a request of a client that was added.
    pub(super) fn register_request(&self, client: &Client) -> WaitingRequest<'_> {
        self.0.send_modify(|clients| {
            match clients.iter_mut().find(|entry| entry.client.id() == client.id()) {
                Some(entry) => entry.requests += 1,
                None => clients.push(RunClient { client: client.clone(), requests: 1 }),
            }
        });
        WaitingRequest { clients: self, client: client.id() }
    }

    /// Reports whether a request waits for the run.
    pub(super) fn has_requests(&self) -> bool {
        self.0.borrow().iter().any(|entry| entry.requests > 0)
    }

    /// Reports whether a request of another client waits for the run, and that client is present.
    pub(super) fn others_wait(&self, client: &Client) -> bool {
        let waits = |entry: &RunClient| entry.requests > 0 && !entry.client.is_gone();
        self.0.borrow().iter().any(|entry| entry.client.id() != client.id() && waits(entry))
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
