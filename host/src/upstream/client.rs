//! Handles requests and notifications from a server. We declare no capabilities, and answer
//! requests for them as unknown methods.

#![expect(deprecated, reason = "servers of older revisions still ask for roots")]

use crate::upstream::progress_tracker::ProgressTracker;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// The client side of a connection.
#[derive(Clone, Default)]
pub(super) struct UpstreamClient {
    pub(super) tracker: Arc<ProgressTracker>,
    pub(super) changes: Arc<ToolListChanges>,
}

/// Counts the server's notifications that its tools changed.
#[derive(Default)]
pub(super) struct ToolListChanges {
    count: AtomicU64,
    changed: Notify,
}

impl ToolListChanges {
    /// Returns the number of notifications so far.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Counts one more notification.
    pub(super) fn add(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_one();
    }

    /// Waits for the next notification. Returns at once if there was one since the last call.
    pub(super) async fn next(&self) {
        self.changed.notified().await;
    }
}

impl ClientHandler for UpstreamClient {
    fn get_info(&self) -> ClientConfig {
        let pml = Implementation::new("pml", env!("CARGO_PKG_VERSION"));
        let mut info = ClientConfig::new(ClientCapabilities::default(), pml);
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.add();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.tracker.report(progress);
    }

    // The defaults of rmcp would answer that there are no roots, and decline for a person who was
    // never asked.

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(unknown_method("roots/list"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(unknown_method("elicitation/create"))
    }
}

fn unknown_method(method: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
}
