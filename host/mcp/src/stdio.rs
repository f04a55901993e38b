//! The server on this process's own stdin and stdout.
//!
//! Clients start pml with pipes or, as node does, with sockets for both. Those are read and written
//! without threads. All other streams (a terminal, a file) use threads.
//!
//! **Invariant:** the end of stdin is noticed before rmcp notices it, so that a client that is gone
//! is never taken for one that cancels its requests.

use super::McpServer;
use crate::transport::LineTransport;
use pml::{Code, Error};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The reason why the server was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// The client is gone.
    ClientGone,
    /// `stop` completed.
    Stopped,
}

/// Serves one client on stdin and stdout until it is gone or `stop` completes. Programs then
/// continue until their next outcome is journalled; afterwards all servers are stopped.
///
/// # Errors
/// If the streams cannot be used.
pub async fn serve_stdio(
    server: McpServer,
    stop: impl Future<Output = ()>,
) -> Result<CloseReason, Error> {
    let (input, output) = streams().map_err(|error| {
        Error::new(Code::Internal, "stdin and stdout cannot be used").with_source(error)
    })?;
    serve(server, input, output, stop).await
}

/// Serves one client on two streams.
pub(super) async fn serve(
    server: McpServer,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: impl Future<Output = ()>,
) -> Result<CloseReason, Error> {
    let input = EofNotifier { input, server: server.clone() };
    let session = async {
        match server.clone().serve(LineTransport::new(input, output)).await {
            Ok(running) => drop(running.waiting().await),
            // The client left before it sent a valid request.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => {
                let broken = Error::new(Code::ServerFailed, "the client does not speak MCP");
                return Err(broken.with_source(error.to_string()));
            }
        }
        Ok(CloseReason::ClientGone)
    };
    let reason = tokio::select! {
        reason = session => reason,
        () = stop => Ok(CloseReason::Stopped),
    };
    server.wait_closed().await;
    reason
}

/// Closes the server when its input ends.
struct EofNotifier<R> {
    input: R,
    server: McpServer,
}

impl<R: AsyncRead + Unpin> AsyncRead for EofNotifier<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let poll = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = match &poll {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && room > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.server.close();
        }
        poll
    }
}

type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Returns this process's stdin and stdout.
fn streams() -> io::Result<(Input, Output)> {
    #[cfg(unix)]
    if let Some(sockets) = sockets()? {
        return Ok(sockets);
    }
    let (input, output) = rmcp::transport::io::stdio_pipes();
    Ok((Box::new(input), Box::new(output)))
}

/// Returns both streams if both are sockets. No other process uses this end of them, so
/// non-blocking mode harms nobody.
#[cfg(unix)]
fn sockets() -> io::Result<Option<(Input, Output)>> {
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    let is_socket = |fd: std::os::fd::BorrowedFd<'_>| {
        rustix::fs::fstat(fd).is_ok_and(|stat| {
            rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Socket
        })
    };
    let (input, output) = (io::stdin(), io::stdout());
    if !is_socket(input.as_fd()) || !is_socket(output.as_fd()) {
        return Ok(None);
    }
    let stream = |fd: std::os::fd::BorrowedFd<'_>| {
        let stream = UnixStream::from(fd.try_clone_to_owned()?);
        stream.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(stream)
    };
    Ok(Some((Box::new(stream(input.as_fd())?), Box::new(stream(output.as_fd())?))))
}
