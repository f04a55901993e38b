//! Watches a running server: lists its tools again when they change, caches its description for the
//! next process, ends it when it is idle, and reports why it ended.
//!
//! **Invariant:** a monitor holds only a weak reference to its server, so a server that can no
//! longer be called is ended.

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

/// Pause between two lists, for a server that reports changes without end.
const PAUSE: Duration = Duration::from_millis(100);

/// Maximum number of times that a subscription is opened, with a pause that doubles.
const SUBSCRIPTIONS: u32 = 5;

/// Runs until the server has ended.
pub(super) async fn run(
    server: Weak<UpstreamServer>,
    connection: Arc<Connection>,
    service: RunningService<RoleClient, UpstreamClient>,
    mut process: Option<ServerProcess>,
) {
    // First of all, so that a short-lived process leaves its data to the next one, too.
    cache_description(&server, &connection).await;
    {
        let watch = async {
            tokio::join!(
                watch_changes(&server, &connection),
                subscribe(&connection),
                end_when_idle(&server, &connection)
            );
        };
        tokio::select! {
            _ = service.waiting() => {}
            () = watch => {}
        }
    }
    let intended = connection.stop.is_cancelled();
    let reason: Arc<str> = match (intended, process.as_mut()) {
        (true, _) => "pml ended it".into(),
        (false, None) => "it closed the connection".into(),
        (false, Some(process)) => {
            process.wait_exit().await.unwrap_or_else(|| "it closed its stdout".into()).into()
        }
    };
    if let (false, Some(server)) = (intended, server.upgrade()) {
        server.connection_lost(&connection, &reason);
    }
    connection.stop.cancel();
    connection.end_reason.send_replace(Some(reason.clone()));
    if let Some(process) = process {
        process.stop().await;
    }
    let (name, calls) = (connection.server.as_str(), connection.answered.load(Ordering::Relaxed));
    let (lines, reason) = (connection.tail.count(), &*reason);
    info!(target: "pml::server", server = name, reason, calls, stderr_lines = lines, "server ended");
    connection.ended.cancel();
}

/// Lists the tools again whenever the server reports a change.
async fn watch_changes(server: &Weak<UpstreamServer>, connection: &Connection) {
    loop {
        connection.changes.next().await;
        // If the list fails, the tools are unknown. The next caller lists them again and gets the
        // error.
        if connection.list().await.is_ok() {
            cache_description(server, connection).await;
        }
        sleep(PAUSE).await;
    }
}

/// Subscribes to changes, if the server reports them only to subscribers.
async fn subscribe(connection: &Connection) {
    if connection.description.era != ProtocolEra::Modern
        || !connection.description.announces_changes
    {
        return std::future::pending().await;
    }
    for attempt in 0..SUBSCRIPTIONS {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        if let Ok(mut subscription) = connection.peer.listen(filter).await {
            if attempt > 0 {
                // Something may have changed while there was no subscription.
                connection.changes.add();
            }
            while let Ok(Some(_)) = subscription.next().await {
                connection.changes.add();
            }
        }
        sleep(PAUSE * 10 * 2u32.pow(attempt)).await;
    }
    std::future::pending().await
}

/// Ends the server after its idle timeout.
async fn end_when_idle(server: &Weak<UpstreamServer>, connection: &Arc<Connection>) {
    loop {
        let limit = server.upgrade().and_then(|server| server.config.idle_timeout);
        let Some(limit) = limit else { return std::future::pending().await };
        let end = connection.last_use() + limit;
        sleep_until(end).await;
        let Some(server) = server.upgrade() else { return std::future::pending().await };
        if connection.last_use() + limit <= tokio::time::Instant::now()
            && server.release_idle(connection)
        {
            connection.stop.cancel();
            return;
        }
        // It is in use, so check again later.
        connection.touch();
    }
}

/// Caches the server's description for the next process.
async fn cache_description(server: &Weak<UpstreamServer>, connection: &Connection) {
    let Some(writing) = server.upgrade().and_then(|server| server.cache_writer(connection)) else {
        return;
    };
    // The cache is optional, so an error in writing it is ignored.
    let _ = tokio::task::spawn_blocking(writing).await;
}
