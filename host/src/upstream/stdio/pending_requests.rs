//! Tracks the requests of both sides that have no answer yet, and so decides which lines of a
//! server to process.
//!
//! **Invariant:** lines that are not messages, answer no request, answer one twice or are too long
//! never reach rmcp. If the caller that waits for such a line is known, it gets an error.

use super::super::decode::{self, Envelope, ExpectedAnswer, MessageKind};
use super::super::result::OVERSIZED;
use crate::upstream::output_tail::OutputTail;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, NumberOrString, ServerJsonRpcMessage,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Maximum number of the server's requests in progress. Further ones are dropped, since a server
/// has no reason to send requests.
const MAX_REQUESTS: usize = 64;

/// Maximum size of a request or notification of the server, in bytes. Real ones are short.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Notifications that are processed.
const PROCESSED_NOTIFICATIONS: &[&str] = &[
    "notifications/cancelled",
    "notifications/progress",
    "notifications/subscriptions/acknowledged",
    "notifications/tools/list_changed",
];

/// The requests of both sides that have no answer yet.
pub(super) struct PendingRequests {
    tail: Arc<OutputTail>,
    /// Our requests.
    pending: HashMap<i64, ExpectedAnswer>,
    /// The time limit of the probe, and its id and deadline.
    probe_timeout: Option<Duration>,
    probe: Option<(i64, Instant)>,
    /// Number of the server's requests.
    server_requests: Arc<AtomicUsize>,
}

impl PendingRequests {
    /// Returns an empty table. A `server/discover` without an answer within `probe_timeout` counts
    /// as refused.
    pub(super) fn new(tail: Arc<OutputTail>, probe_timeout: Option<Duration>) -> PendingRequests {
        PendingRequests {
            tail,
            pending: HashMap::new(),
            probe_timeout,
            probe: None,
            server_requests: Arc::default(),
        }
    }

    /// Returns the deadline of the probe, if there is one.
    pub(super) fn probe_deadline(&self) -> Option<Instant> {
        self.probe.map(|(_, end)| end)
    }

    /// Returns the counter of the server's requests.
    pub(super) fn server_requests(&self) -> Arc<AtomicUsize> {
        self.server_requests.clone()
    }

    /// Records a sent message, to recognise its answer.
    pub(super) fn record_sent(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(sent) => {
                let NumberOrString::Number(id) = sent.id else { return };
                let expected = ExpectedAnswer::of(&sent.request);
                self.pending.insert(id, expected);
                if let (ExpectedAnswer::Discovery, Some(probe_timeout)) =
                    (expected, self.probe_timeout)
                {
                    self.probe = Some((id, Instant::now() + probe_timeout));
                }
            }
            ClientJsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(NumberOrString::Number(id)) = cancelled.params.request_id
                {
                    self.pending.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// Removes a request that was answered.
    fn take(&mut self, id: i64) -> Option<ExpectedAnswer> {
        if self.probe.is_some_and(|(probe, _)| probe == id) {
            self.probe = None;
        }
        self.pending.remove(&id)
    }

    /// Reports whether the server has yet to answer for the first time.
    pub(super) fn awaits_first_answer(&self) -> bool {
        let first = |expected: &ExpectedAnswer| {
            matches!(expected, ExpectedAnswer::Discovery | ExpectedAnswer::Handshake)
        };
        self.pending.values().any(first)
    }

    /// Ends the probe, and returns its refusal.
    pub(super) fn refuse_probe(&mut self) -> Option<ServerJsonRpcMessage> {
        let (id, _) = self.probe.take()?;
        self.pending.remove(&id)?;
        Some(decode::refuse(
            id,
            ErrorCode::METHOD_NOT_FOUND,
            "no answer to `server/discover`".into(),
        ))
    }

    /// Returns the message in a line, if it is expected.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let envelope = Envelope::open(line);
        let Some(kind) = envelope.as_ref().and_then(Envelope::kind) else {
            self.tail.push_noise(line);
            return None;
        };
        match kind {
            MessageKind::Answer(id, result) => Some(decode::answer(id, self.take(id)?, result)),
            MessageKind::Refusal(Some(id), error) => {
                self.take(id)?;
                Some(ServerJsonRpcMessage::error(error, Some(NumberOrString::Number(id))))
            }
            // A server that does not know the first request may not even read its id.
            MessageKind::Refusal(None, error) => {
                self.awaits_first_answer().then(|| ServerJsonRpcMessage::error(error, None))
            }
            MessageKind::Notification(method)
                if !PROCESSED_NOTIFICATIONS.contains(&method.as_str()) =>
            {
                None
            }
            MessageKind::Request
                if self.server_requests.load(Ordering::Relaxed) >= MAX_REQUESTS =>
            {
                None
            }
            MessageKind::Request | MessageKind::Notification(_)
                if line.len() > MAX_REQUEST_BYTES =>
            {
                None
            }
            MessageKind::Request | MessageKind::Notification(_) => {
                match serde_json::from_slice(line) {
                    Ok(message) => {
                        if matches!(message, ServerJsonRpcMessage::Request(_)) {
                            self.server_requests.fetch_add(1, Ordering::Relaxed);
                        }
                        Some(message)
                    }
                    Err(_) => {
                        self.tail.push_noise(line);
                        None
                    }
                }
            }
        }
    }

    /// Returns an error for the caller whose answer was too long.
    pub(super) fn too_long(&mut self, id: Option<i64>) -> Option<ServerJsonRpcMessage> {
        self.tail.push_noise(b"(a line longer than 32 MiB)");
        let id = id?;
        self.take(id)?;
        Some(decode::refuse(id, OVERSIZED, "the answer is larger than 32 MiB".into()))
    }
}
