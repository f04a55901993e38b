//! A client of a host. It is present until it leaves or the host closes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// A client of a [`RunHost`](super::RunHost). Clones are the same client.
#[derive(Clone)]
pub struct Client(Arc<ClientState>);

/// Identifies a client within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClientId(u64);

struct ClientState {
    id: ClientId,
    gone: watch::Sender<bool>,
    host_closing: watch::Sender<bool>,
}

impl Client {
    pub(super) fn new(host_closing: watch::Sender<bool>) -> Client {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = ClientId(NEXT.fetch_add(1, Ordering::Relaxed));
        Client(Arc::new(ClientState { id, gone: watch::Sender::new(false), host_closing }))
    }

    pub(super) fn id(&self) -> ClientId {
        self.0.id
    }

    /// Marks the client as gone. A run without other clients continues until the next outcome of
    /// one of its calls is journalled, for a few seconds at most. A client that is gone does not
    /// return: [`RunHost::connect`] makes another.
    ///
    /// [`RunHost::connect`]: super::RunHost::connect
    pub fn disconnect(&self) {
        self.0.gone.send_replace(true);
    }

    /// Reports whether the client is gone or the host is closing.
    pub fn is_gone(&self) -> bool {
        *self.0.gone.borrow() || *self.0.host_closing.borrow()
    }

    /// Waits until the client is gone or the host closes.
    pub async fn wait_gone(&self) {
        let (mut gone, mut closing) = (self.0.gone.subscribe(), self.0.host_closing.subscribe());
        tokio::select! {
            () = wait_until(&mut gone, |gone| *gone) => {}
            () = wait_until(&mut closing, |closing| *closing) => {}
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("id", &self.0.id).field("gone", &self.is_gone()).finish()
    }
}

/// Waits until `condition` is true for a watched value. Waits for ever if all senders are dropped.
pub(super) async fn wait_until<T>(
    watched: &mut watch::Receiver<T>,
    condition: impl FnMut(&T) -> bool,
) {
    if watched.wait_for(condition).await.is_err() {
        std::future::pending().await
    }
}
