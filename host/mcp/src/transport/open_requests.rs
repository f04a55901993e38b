//! The ids of the requests that a client waits for.
//!
//! Input: the messages in both directions. Output: a refusal of a request whose id is taken. One
//! answer could not say which of two requests with one id it is for, and the other would never be
//! answered.

use super::frame::FrameRefusal;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use std::collections::HashSet;

/// The requests that have no answer yet.
#[derive(Debug, Default)]
pub(super) struct OpenRequests(HashSet<RequestId>);

impl OpenRequests {
    /// Notes a message of the client.
    ///
    /// # Errors
    /// Refuses a request whose id is taken.
    pub(super) fn note_message(
        &mut self,
        message: &ClientJsonRpcMessage,
    ) -> Result<(), FrameRefusal> {
        match message {
            JsonRpcMessage::Request(request) if !self.0.insert(request.id.clone()) => {
                Err(FrameRefusal::taken(request.id.clone()))
            }
            // A cancelled request has no answer.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.remove(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Notes an answer of the server.
    pub(super) fn note_answer(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.0.remove(id);
        }
    }
}
