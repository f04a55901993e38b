//! MCP over a server's stdin and stdout, with one message per line. [`PendingRequests`] decides
//! which lines to process.

use crate::upstream::output_tail::OutputTail;
use crate::upstream::stdio::line_reader::{self, BoundedLine, LineReader};
use crate::upstream::stdio::pending_requests::PendingRequests;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::time::sleep_until;

/// Maximum length of a line, in bytes: twice the largest reply that a program can get.
const MAX_LINE: usize = 32 << 20;

/// Maximum number of lines without a message for us before the first answer: more than any banner
/// or progress bar has.
const MAX_IGNORED_LINES: usize = 10_000;

/// The pipes to a server.
pub(in super::super) struct StdioTransport {
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    stdout: LineReader<ChildStdout>,
    pending: PendingRequests,
    /// Number of lines without a message for us.
    ignored_lines: usize,
}

impl StdioTransport {
    /// Returns a transport over these pipes. A `server/discover` without an answer within
    /// `probe_timeout` counts as refused.
    pub(in super::super) fn new(
        stdin: ChildStdin,
        stdout: ChildStdout,
        tail: Arc<OutputTail>,
        probe_timeout: Option<Duration>,
    ) -> StdioTransport {
        StdioTransport {
            stdin: Arc::new(Mutex::new(Some(stdin))),
            stdout: LineReader::new(stdout, MAX_LINE),
            pending: PendingRequests::new(tail, probe_timeout),
            ignored_lines: 0,
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.pending.record_sent(&message);
        let stdin = self.stdin.clone();
        let is_answer =
            matches!(message, ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_));
        let server_requests = is_answer.then(|| self.pending.server_requests());
        let line = serde_json::to_vec(&message).map(|mut line| {
            line.push(b'\n');
            line
        });
        async move {
            let line = line?;
            let sent = match stdin.lock().await.as_mut() {
                Some(stdin) => stdin.write_all(&line).await,
                None => Err(io::ErrorKind::BrokenPipe.into()),
            };
            if let Some(server_requests) = server_requests {
                let _ = server_requests.fetch_update(
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                    |server_requests| server_requests.checked_sub(1),
                );
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.pending.probe_deadline() {
                None => self.stdout.next().await,
                Some(end) => tokio::select! {
                    biased;
                    line = self.stdout.next() => line,
                    () = sleep_until(end) => match self.pending.refuse_probe() {
                        Some(refusal) => return Some(refusal),
                        None => continue,
                    },
                },
            };
            // A read error counts as the end of the pipe.
            let message = match line.ok()?? {
                BoundedLine::Whole(line) => self.pending.read(line),
                BoundedLine::TooLong(ends) => self.pending.too_long(line_reader::id_of(ends)),
            };
            if message.is_some() {
                return message;
            }
            // A program that prints so much before the first answer does not speak MCP.
            self.ignored_lines += 1;
            if self.ignored_lines >= MAX_IGNORED_LINES && self.pending.awaits_first_answer() {
                return None;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A pending write holds the pipe open, but no longer than the process lives.
        if let Ok(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
        Ok(())
    }
}
