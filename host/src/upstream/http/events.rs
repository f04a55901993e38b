//! Server-sent events of a hostile server: an event that is too large ends the stream.

use super::super::secrets::Secrets;
use super::HttpError;
use futures_util::{Stream, StreamExt};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use std::future::ready;
use std::sync::Arc;

/// Returns the events of a response.
pub(super) fn events(
    response: reqwest::Response,
    at: String,
    secrets: Arc<Secrets>,
    limit: usize,
) -> BoxedSseResponse {
    let bytes = response
        .bytes_stream()
        .map(move |chunk| chunk.map_err(|error| HttpError::of(&at, &error, &secrets)));
    sse_stream::SseStream::from_bytes_stream(bounded(bytes, limit)).boxed()
}

/// Ends a stream with an error when more than `limit` bytes come without a blank line, which is what ends an event.
fn bounded<B: AsRef<[u8]>>(
    stream: impl Stream<Item = Result<B, HttpError>>,
    limit: usize,
) -> impl Stream<Item = Result<B, HttpError>> {
    let mut event = Event::default();
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

/// The event that is being received.
#[derive(Default)]
struct Event {
    bytes: usize,
    /// Whether the line so far is empty.
    blank: bool,
}

impl Event {
    /// Adds a chunk. Returns the size of the largest event in it, as far as it goes.
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
    use super::{HttpError, bounded};
    use futures_util::{StreamExt, stream};

    async fn pass(chunks: &[&str], limit: usize) -> Vec<bool> {
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok::<_, HttpError>(chunk.to_string())).collect();
        bounded(stream::iter(chunks), limit).map(|chunk| chunk.is_ok()).collect().await
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
