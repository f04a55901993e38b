//! Reads the server-sent events of a hostile server. An event that is too large ends the stream.
//!
//! rmcp parses the data of events. The answer to a call is passed to it as a string, which the
//! caller parses later, because a parsed value could take a hundred times its length.

use super::super::decode::{Envelope, MessageKind, is_heavy};
use super::super::secrets::ServerSecrets;
use super::HttpError;
use futures_util::{Stream, StreamExt};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use std::future::ready;
use std::sync::Arc;

/// Returns the events of a response. `call` is the id of the request that it answers, if that is a
/// call.
pub(super) fn events(
    response: reqwest::Response,
    origin: String,
    secrets: Arc<ServerSecrets>,
    limit: usize,
    call: Option<i64>,
) -> BoxedSseResponse {
    let bytes = response
        .bytes_stream()
        .map(move |chunk| chunk.map_err(|error| HttpError::of(&origin, &error, &secrets)));
    let events = sse_stream::SseStream::from_bytes_stream(bounded(bytes, limit));
    let light = events.map(move |event| {
        event.map(|mut event| {
            event.data = event.data.and_then(|data| data_for_rmcp(data, call));
            event
        })
    });
    light.boxed()
}

/// Returns the data of an event for rmcp to parse, or `None` if that would take too much memory.
fn data_for_rmcp(data: String, call: Option<i64>) -> Option<String> {
    let envelope = call.and_then(|_| Envelope::open(data.as_bytes()));
    if let (Some(call), Some(MessageKind::Answer(id, result))) =
        (call, envelope.as_ref().and_then(Envelope::kind))
        && id == call
    {
        let message = serde_json::json!({ "jsonrpc": "2.0", "id": id, "result": result.get() });
        return Some(message.to_string());
    }
    (!is_heavy(&data)).then_some(data)
}

/// Ends a stream with an error after more than `limit` bytes without a blank line, which ends an
/// event.
fn bounded<B: AsRef<[u8]>>(
    stream: impl Stream<Item = Result<B, HttpError>>,
    limit: usize,
) -> impl Stream<Item = Result<B, HttpError>> {
    let mut event = EventSize::default();
    let mut failed = false;
    stream.scan((), move |(), chunk| {
        if failed {
            return ready(None);
        }
        let chunk = chunk.and_then(|chunk| match event.add(chunk.as_ref()) > limit {
            true => Err(HttpError::TooLarge),
            false => Ok(chunk),
        });
        failed = chunk.is_err();
        ready(Some(chunk))
    })
}

/// The size of the event that is being received.
#[derive(Default)]
struct EventSize {
    bytes: usize,
    /// Whether the current line is empty so far.
    blank: bool,
}

impl EventSize {
    /// Adds a chunk. Returns the size of the largest event so far.
    fn add(&mut self, chunk: &[u8]) -> usize {
        let mut largest = self.bytes;
        for line in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.bytes += line.len();
            largest = largest.max(self.bytes);
            let empty = line.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
            if line.ends_with(b"\n") {
                if self.blank && empty {
                    self.bytes = 0;
                }
                self.blank = true;
            } else {
                self.blank &= empty;
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::{HttpError, bounded, data_for_rmcp};
    use futures_util::{StreamExt, stream};

    async fn pass(chunks: &[&str], limit: usize) -> Vec<bool> {
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok::<_, HttpError>(chunk.to_string())).collect();
        bounded(stream::iter(chunks), limit).map(|chunk| chunk.is_ok()).collect().await
    }

    #[test]
    fn the_answer_to_a_call_is_handed_on_as_text() {
        let data = r#"{"jsonrpc":"2.0","id":5,"result":{"content":[1]}}"#;
        let light = data_for_rmcp(data.into(), Some(5));
        assert_eq!(
            light.as_deref(),
            Some(r#"{"jsonrpc":"2.0","id":5,"result":"{\"content\":[1]}"}"#)
        );
        assert_eq!(data_for_rmcp(data.into(), Some(6)).as_deref(), Some(data));
        assert_eq!(data_for_rmcp(data.into(), None).as_deref(), Some(data));
    }

    #[test]
    fn what_would_take_too_much_is_left_out() {
        let heavy = format!("{{\"method\":\"x\",\"params\":[{}[0]]}}", "[0],".repeat(1 << 20));
        assert_eq!(data_for_rmcp(heavy.clone(), None), None);
        assert_eq!(data_for_rmcp(heavy, Some(1)), None);
    }

    #[tokio::test]
    async fn events_of_any_number_pass() {
        let event = "data: 12345678\n\n";
        assert_eq!(pass(&[event; 5], 20).await, [true; 5]);
        assert_eq!(
            pass(&["data: 1\r\n\r\n", "data: 2\r\n", "\r\n", "data: 3\r\n\r\n"], 12).await,
            [true; 4]
        );
    }

    #[tokio::test]
    async fn an_event_that_is_too_large_ends_the_stream() {
        assert_eq!(
            pass(&["data: 1\n", "data: 2\n", "data: 3\n", "data: 4\n\n"], 20).await,
            [true, true, false]
        );
        assert_eq!(pass(&["xxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "x"], 20).await, [false]);
    }
}
