//! Stays with a running server: lists its tools anew when they change, keeps what it said for the
//! next process, ends it when nobody needs it, and says why it went away.
//!
//! **Invariant:** a keeper does not keep its server's entry alive: once nobody can call it any
//! more, it is ended.

use super::client::UpstreamClient;
use super::connection::Connection;
use super::server::UpstreamServer;
use super::stdio::ServerProcess;
use crate::model::ProtocolEra;
use rmcp::model::SubscriptionFilter;
use rmcp::service::{RoleClient, RunningService};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::{sleep, sleep_until};
use tracing::info;

/// Between two lists of a server that never stops saying that its tools changed.
const PAUSE: Duration = Duration::from_millis(100);

/// How often a subscription that ended is opened again, with a pause that doubles.
const SUBSCRIPTIONS: u32 = 5;

/// Stays until the server is gone.
pub(super) async fn keep(
    server: Weak<UpstreamServer>,
    connection: Arc<Connection>,
    service: RunningService<RoleClient, UpstreamClient>,
    mut process: Option<ServerProcess>,
) {
    // Before anything can end it: what a short-lived process learnt is for the next one.
    remember(&server, &connection).await;
    {
        let watch = async {
            tokio::join!(
                watch(&server, &connection),
                subscribe(&connection),
                reap(&server, &connection)
            );
        };
        tokio::select! {
            _ = service.waiting() => {}
            () = watch => {}
        }
    }
    let wanted = connection.stop.is_cancelled();
    let reason: Arc<str> = match (wanted, process.as_mut()) {
        (true, _) => "pml ended it".into(),
        (false, None) => "it closed the connection".into(),
        (false, Some(process)) => {
            process.ended().await.unwrap_or_else(|| "it closed its stdout".into()).into()
        }
    };
    if let (false, Some(server)) = (wanted, server.upgrade()) {
        server.went_away(&connection, &reason);
    }
    connection.stop.cancel();
    connection.over.send_replace(Some(reason.clone()));
    if let Some(process) = process {
        process.stop().await;
    }
    let (name, calls) = (connection.server.as_str(), connection.served.load(Ordering::Relaxed));
    let (lines, reason) = (connection.tail.count(), &*reason);
    info!(target: "pml::server", server = name, reason, calls, stderr_lines = lines, "server ended");
    connection.ended.cancel();
}

/// Lists the tools anew whenever the server says that they changed.
async fn watch(server: &Weak<UpstreamServer>, connection: &Connection) {
    loop {
        connection.changes.next().await;
        // A list that fails leaves the tools unknown: whoever needs them asks again, and hears why.
        if connection.list().await.is_ok() {
            remember(server, connection).await;
        }
        sleep(PAUSE).await;
    }
}

/// Hears of changes of a server that says them only to those who subscribe.
async fn subscribe(connection: &Connection) {
    if connection.about.era != ProtocolEra::Modern || !connection.about.tells {
        return std::future::pending().await;
    }
    for again in 0..SUBSCRIPTIONS {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        if let Ok(mut subscription) = connection.peer.listen(filter).await {
            if again > 0 {
                // Something may have changed while nobody listened.
                connection.changes.add();
            }
            while let Ok(Some(_)) = subscription.next().await {
                connection.changes.add();
            }
        }
        sleep(PAUSE * 10 * 2u32.pow(again)).await;
    }
    std::future::pending().await
}

/// Ends the server when it was not used for long enough.
async fn reap(server: &Weak<UpstreamServer>, connection: &Arc<Connection>) {
    loop {
        let limit = server.upgrade().and_then(|server| server.config.idle_timeout);
        let Some(limit) = limit else { return std::future::pending().await };
        let end = connection.last_use() + limit;
        sleep_until(end).await;
        let Some(server) = server.upgrade() else { return std::future::pending().await };
        if connection.last_use() + limit <= tokio::time::Instant::now() && server.retire(connection)
        {
            connection.stop.cancel();
            return;
        }
        // It is in use: look again later.
        connection.touch();
    }
}

/// Keeps what the server said for the next process.
async fn remember(server: &Weak<UpstreamServer>, connection: &Connection) {
    let Some(writing) = server.upgrade().and_then(|server| server.remember(connection)) else {
        return;
    };
    // A cache that cannot be written is none; the server works without.
    let _ = tokio::task::spawn_blocking(writing).await;
}
