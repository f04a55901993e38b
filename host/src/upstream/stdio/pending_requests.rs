//! What was asked on either side and not answered yet, and so: which lines of a server are worth
//! reading.
//!
//! **Invariant:** what is not a message, answers nothing, answers twice or is too long never
//! reaches rmcp, and never keeps a caller waiting that can be told.

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

/// Requests of the server that are being answered; further ones are dropped. It has no business
/// asking anything.
const REQUESTS: usize = 64;

/// The longest of them, and the longest notification: neither has much to say.
const REQUEST: usize = 256 << 10;

/// Notifications that anybody here listens to.
const HEARD: &[&str] = &[
    "notifications/cancelled",
    "notifications/progress",
    "notifications/subscriptions/acknowledged",
    "notifications/tools/list_changed",
];

/// What is open between us and a server.
pub(super) struct PendingRequests {
    tail: Arc<OutputTail>,
    /// Our requests that are not answered yet.
    pending: HashMap<i64, ExpectedAnswer>,
    /// How long the probe may take, and when it is over.
    patience: Option<Duration>,
    probe: Option<(i64, Instant)>,
    /// Requests of the server that are not answered yet.
    asked: Arc<AtomicUsize>,
}

impl PendingRequests {
    /// Returns an empty one. A `server/discover` that is not answered within `patience` is taken as
    /// refused.
    pub(super) fn new(tail: Arc<OutputTail>, patience: Option<Duration>) -> PendingRequests {
        PendingRequests {
            tail,
            pending: HashMap::new(),
            patience,
            probe: None,
            asked: Arc::default(),
        }
    }

    /// Returns when the probe is over, if there is one.
    pub(super) fn probe_ends(&self) -> Option<Instant> {
        self.probe.map(|(_, end)| end)
    }

    /// Returns the count of requests that the server waits for.
    pub(super) fn asked(&self) -> Arc<AtomicUsize> {
        self.asked.clone()
    }

    /// Takes note of what is sent, to know what comes back.
    pub(super) fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(sent) => {
                let NumberOrString::Number(id) = sent.id else { return };
                let expected = ExpectedAnswer::of(&sent.request);
                self.pending.insert(id, expected);
                if let (ExpectedAnswer::Discovery, Some(patience)) = (expected, self.patience) {
                    self.probe = Some((id, Instant::now() + patience));
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

    /// Takes an answer off the list.
    fn settle(&mut self, id: i64) -> Option<ExpectedAnswer> {
        if self.probe.is_some_and(|(probe, _)| probe == id) {
            self.probe = None;
        }
        self.pending.remove(&id)
    }

    /// Returns whether the server has yet to answer for the first time.
    pub(super) fn beginning(&self) -> bool {
        let first = |expected: &ExpectedAnswer| {
            matches!(expected, ExpectedAnswer::Discovery | ExpectedAnswer::Handshake)
        };
        self.pending.values().any(first)
    }

    /// Gives the probe up.
    pub(super) fn give_up(&mut self) -> Option<ServerJsonRpcMessage> {
        let (id, _) = self.probe.take()?;
        self.pending.remove(&id)?;
        Some(decode::refuse(
            id,
            ErrorCode::METHOD_NOT_FOUND,
            "no answer to `server/discover`".into(),
        ))
    }

    /// Returns the message that a line holds, if anybody waits for it.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let envelope = Envelope::open(line);
        let Some(kind) = envelope.as_ref().and_then(Envelope::kind) else {
            self.tail.noise(line);
            return None;
        };
        match kind {
            MessageKind::Answer(id, result) => Some(decode::answer(id, self.settle(id)?, result)),
            MessageKind::Refusal(Some(id), error) => {
                self.settle(id)?;
                Some(ServerJsonRpcMessage::error(error, Some(NumberOrString::Number(id))))
            }
            // A server that does not know the first request may not even read its id.
            MessageKind::Refusal(None, error) => {
                self.beginning().then(|| ServerJsonRpcMessage::error(error, None))
            }
            MessageKind::Notification(method) if !HEARD.contains(&method.as_str()) => None,
            MessageKind::Request if self.asked.load(Ordering::Relaxed) >= REQUESTS => None,
            MessageKind::Request | MessageKind::Notification(_) if line.len() > REQUEST => None,
            MessageKind::Request | MessageKind::Notification(_) => {
                match serde_json::from_slice(line) {
                    Ok(message) => {
                        if matches!(message, ServerJsonRpcMessage::Request(_)) {
                            self.asked.fetch_add(1, Ordering::Relaxed);
                        }
                        Some(message)
                    }
                    Err(_) => {
                        self.tail.noise(line);
                        None
                    }
                }
            }
        }
    }

    /// Tells the one who waits for it that an answer was too long.
    pub(super) fn too_long(&mut self, id: Option<i64>) -> Option<ServerJsonRpcMessage> {
        self.tail.noise(b"(a line longer than 32 MiB)");
        let id = id?;
        self.settle(id)?;
        Some(decode::refuse(id, OVERSIZED, "the answer is larger than 32 MiB".into()))
    }
}
