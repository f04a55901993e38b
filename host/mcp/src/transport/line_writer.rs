//! Writes lines to a client.
//!
//! **Invariant:** a line is written whole. If the future of `write` is dropped, the next write
//! writes the rest first.

use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Writes lines.
pub(super) struct LineWriter<W> {
    output: W,
    unwritten: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub(super) fn new(output: W) -> LineWriter<W> {
        LineWriter { output, unwritten: Vec::new() }
    }

    /// Writes a line and its end.
    pub(super) async fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.unwritten.extend_from_slice(line);
        self.unwritten.push(b'\n');
        while !self.unwritten.is_empty() {
            let written = self.output.write(&self.unwritten).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.unwritten.drain(..written);
        }
        self.unwritten.shrink_to(64 << 10);
        self.output.flush().await
    }
}

#[cfg(test)]
mod tests {
    use super::LineWriter;
    use tokio::io::{AsyncReadExt, duplex};

    #[tokio::test]
    async fn a_line_whose_writing_was_given_up_is_finished_before_the_next() {
        let (mut reader, output) = duplex(4);
        let mut writer = LineWriter::new(output);
        {
            let given_up = writer.write(b"0123456789");
            tokio::pin!(given_up);
            assert!(futures_poll(given_up.as_mut()).await.is_none());
        }
        let read = async {
            let mut text = vec![0; 16];
            reader.read_exact(&mut text).await.expect("it is written");
            text
        };
        let (text, written) = tokio::join!(read, writer.write(b"next"));
        written.expect("it is read");
        assert_eq!(String::from_utf8_lossy(&text), "0123456789\nnext\n");
    }

    /// Polls a future once.
    async fn futures_poll<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = &mut future => Some(output),
            () = std::future::ready(()) => None,
        }
    }
}
