//! Sends one call and returns its answer.
//!
//! **Invariant:** a caller that stops waiting, by timeout or because its future is dropped, cancels
//! the request at the server. It does not wait for a server that does not read.

use super::connection::Connection;
use super::error::UpstreamError;
use super::http;
use super::result;
use crate::model::{CallError, CallProgressSink, Code, RunBudget, format_span};
use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientRequest, RequestId,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::{Map, Value};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The time limit restarts whenever a call reports progress. In total it is at most this many times
/// the limit.
const MAX_EXTENSION: u32 = 10;

/// Calls a tool and returns its answer as one JSON text. Reading the answer is charged to `budget`.
pub(super) async fn call(
    connection: &Connection,
    tool: &str,
    arguments: Map<String, Value>,
    limit: Duration,
    progress: Option<CallProgressSink>,
    budget: &RunBudget,
) -> Result<String, CallError> {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let sent = connection.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut sent = match sent.await {
        Ok(sent) => sent,
        Err(_) => return Err(connection.gone_error().await.into()),
    };
    let tracking = connection.tracker.track(&sent.progress_token, progress);
    let mut open = OpenRequest { peer: &connection.peer, id: Some(sent.id.clone()) };
    let began = Instant::now();
    let mut end = began + limit;
    let answer = loop {
        tokio::select! {
            biased;
            answer = &mut sent.rx => break answer,
            () = sleep_until(end) => {}
        }
        let deadline = deadline(began, tracking.last(), limit);
        if deadline <= Instant::now() {
            drop(open);
            return Err(timeout_error(connection, tool, began.elapsed()));
        }
        end = deadline;
    };
    open.id = None;
    match answer {
        Ok(Ok(answer)) => {
            connection.answered.fetch_add(1, Ordering::AcqRel);
            let (secrets, memory) = (connection.tail.secrets().clone(), budget.host_memory());
            let text = result::text_of(answer)?;
            let Some(_unread) = budget.count_unread(text.len()) else {
                let message = format!(
                    "answers that wait to be read may have {memory} bytes in all; this one has {}, and others have the rest",
                    text.len()
                );
                return Err(CallError::new(Code::ReplySize, message));
            };
            // It was parsed once already, to find the request that it answers.
            budget.charge_for(text.len());
            let reading = budget.work(text.len(), move |work| {
                result::reply(&text, &secrets, memory, &work.begin())
            });
            reading.await?
        }
        Ok(Err(ServiceError::McpError(error))) => {
            connection.answered.fetch_add(1, Ordering::AcqRel);
            Err(result::refusal(error, connection.tail.secrets()))
        }
        // The server is gone, or about to be. Its reason is the better message.
        Ok(Err(ServiceError::TransportSend(_))) if connection.description.pid.is_some() => {
            Err(connection.gone_error().await.into())
        }
        Ok(Err(ServiceError::TransportSend(error))) => {
            Err(unreachable(connection, error.error.as_ref()).into())
        }
        Ok(Err(_)) | Err(_) => Err(connection.gone_error().await.into()),
    }
}

/// Returns the deadline of a call that began at `began` and last reported progress at `last`.
fn deadline(began: Instant, last: Option<Instant>, limit: Duration) -> Instant {
    (last.unwrap_or(began) + limit).min(began + limit * MAX_EXTENSION)
}

/// A request without an answer yet. It is cancelled when dropped.
struct OpenRequest<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let reason = "nobody waits for it any more".to_owned();
        let notice = CancelledNotificationParam::new(Some(id), Some(reason));
        let notice = CancelledNotification::new(notice);
        // The first poll puts it into the queue. There is no wait until it is written.
        let _ = self.peer.send_notification(notice.into()).now_or_never();
    }
}

fn timeout_error(connection: &Connection, tool: &str, after: Duration) -> CallError {
    let message =
        format!("`{}:{tool}` did not answer within {}", connection.server, format_span(after));
    CallError::new(Code::CallTimeout, message)
}

fn unreachable(
    connection: &Connection,
    error: &(dyn std::error::Error + Send + Sync + 'static),
) -> UpstreamError {
    let reason = match http::find_http_error(error) {
        Some(known) => known.to_string(),
        None => connection.tail.secrets().root_cause(error),
    };
    UpstreamError::Start {
        server: connection.server.clone(),
        local: false,
        reason,
        output: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_EXTENSION, deadline};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn progress_gives_a_call_its_time_anew_but_not_for_ever() {
        let (began, limit) = (Instant::now(), Duration::from_secs(10));
        let at = |seconds| began + Duration::from_secs(seconds);
        assert_eq!(deadline(began, None, limit), at(10));
        assert_eq!(deadline(began, Some(at(9)), limit), at(19));
        assert_eq!(deadline(began, Some(at(95)), limit), began + limit * MAX_EXTENSION);
    }
}
