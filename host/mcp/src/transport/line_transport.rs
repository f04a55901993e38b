//! The transport over two streams of lines.

use super::frame::{ClientFrame, FrameRefusal};
use super::line_reader::{ClientLine, LineReader};
use super::line_writer::LineWriter;
use super::open_requests::OpenRequests;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, Semaphore};

/// Maximum number of bytes of a line: inputs and source at their own limits, with their escapes.
const MAX_LINE: usize = 32 << 20;

/// Maximum number of refusals that the client has not read yet. A client that sends more is not
/// read until it reads.
const MAX_REFUSALS: usize = 16;

type SharedWriter<W> = Arc<Mutex<Option<LineWriter<W>>>>;

/// The lines of one client.
pub(crate) struct LineTransport<R, W> {
    input: LineReader<R>,
    output: SharedWriter<W>,
    /// The refusal of the last line, until it is being sent.
    refusal: Option<FrameRefusal>,
    refusals: Arc<Semaphore>,
    open: OpenRequests,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Returns the transport over these streams.
    pub(crate) fn new(input: R, output: W) -> LineTransport<R, W> {
        LineTransport {
            input: LineReader::new(input, MAX_LINE),
            output: Arc::new(Mutex::new(Some(LineWriter::new(output)))),
            refusal: None,
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
            open: OpenRequests::default(),
        }
    }

    /// Sends the refusal of the last line in a task of its own: a client that does not read must
    /// not keep its next lines from being read.
    async fn send_refusal(&mut self) {
        if self.refusal.is_none() {
            return;
        }
        let permit = self.refusals.clone().acquire_owned().await;
        let Some(refusal) = self.refusal.take() else { return };
        let output = self.output.clone();
        tokio::spawn(async move {
            // The end of the input tells that a client is gone.
            let _ = write(&output, refusal.to_line().as_bytes()).await;
            drop(permit);
        });
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.open.note_answer(&message);
        let (line, output) = (serde_json::to_vec(&message), self.output.clone());
        async move { write(&output, &line?).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.send_refusal().await;
            // A read error counts as the end.
            let frame = match self.input.next().await.ok()?? {
                ClientLine::Whole(line) => ClientFrame::read(line),
                ClientLine::TooLong(id) => {
                    ClientFrame::Refused(FrameRefusal::too_long(id, MAX_LINE))
                }
            };
            match frame {
                ClientFrame::Message(message) => match self.open.note_message(&message) {
                    Ok(()) => return Some(*message),
                    Err(refusal) => self.refusal = Some(refusal),
                },
                ClientFrame::Refused(refusal) => self.refusal = Some(refusal),
                ClientFrame::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

/// Writes a line, unless the transport is closed.
async fn write<W: AsyncWrite + Unpin>(output: &SharedWriter<W>, line: &[u8]) -> io::Result<()> {
    match output.lock().await.as_mut() {
        Some(output) => output.write(line).await,
        None => Err(io::ErrorKind::NotConnected.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::LineTransport;
    use rmcp::model::ClientJsonRpcMessage;
    use rmcp::transport::Transport;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex};

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[tokio::test]
    async fn lines_that_are_no_messages_are_answered_and_the_next_is_received() {
        let (mut client, input) = duplex(1 << 10);
        let (output, read) = duplex(1 << 10);
        let mut transport = LineTransport::new(input, output);
        client.write_all(format!("garbage\n{PING}\n").as_bytes()).await.expect("it reads");
        let received = transport.receive().await;
        assert!(matches!(received, Some(ClientJsonRpcMessage::Request(_))), "{received:?}");
        let mut answer = String::new();
        BufReader::new(read).read_line(&mut answer).await.expect("it answers");
        assert!(answer.contains("-32700"), "{answer}");
        drop(client);
        assert!(transport.receive().await.is_none());
    }

    #[tokio::test]
    async fn a_client_that_reads_no_refusal_is_still_read_for_a_while() {
        let (mut client, input) = duplex(1 << 10);
        let (output, _unread) = duplex(1);
        let mut transport = LineTransport::new(input, output);
        client.write_all(format!("a\nb\nc\n{PING}\n").as_bytes()).await.expect("it reads");
        assert!(transport.receive().await.is_some());
    }
}
