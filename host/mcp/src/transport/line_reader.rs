//! Reads the lines of a client.
//!
//! **Invariant:** if the future of `next` is dropped, no byte is lost.

use super::id_scanner::IdScanner;
use rmcp::model::RequestId;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// Reads line by line.
pub(super) struct LineReader<R> {
    source: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The scanner of a line that is too long.
    too_long: Option<IdScanner>,
    /// Whether the last line was returned.
    done: bool,
}

/// A line, without its end.
#[derive(Debug, PartialEq)]
pub(super) enum ClientLine<'a> {
    /// The complete line.
    Whole(&'a [u8]),
    /// A line that is too long, with the id of the request in it.
    TooLong(Option<RequestId>),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Returns a reader of lines of at most `limit` bytes.
    pub(super) fn new(source: R, limit: usize) -> LineReader<R> {
        let source = BufReader::with_capacity(CHUNK, source);
        LineReader { source, limit, line: Vec::new(), too_long: None, done: false }
    }

    /// Returns the next line, or `None` at the end. A last line without an end was cut off, and is
    /// dropped.
    pub(super) async fn next(&mut self) -> io::Result<Option<ClientLine<'_>>> {
        if std::mem::take(&mut self.done) {
            self.clear();
        }
        loop {
            let chunk = self.source.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            let part = &chunk[..end.unwrap_or(taken)];
            if self.too_long.is_none() && self.line.len() + part.len() > self.limit {
                let mut scanner = IdScanner::default();
                scanner.scan(&self.line);
                self.too_long = Some(scanner);
                self.line = Vec::new();
            }
            match &mut self.too_long {
                Some(scanner) => scanner.scan(part),
                None => self.line.extend_from_slice(part),
            }
            self.source.consume(taken);
            if end.is_some() {
                break;
            }
        }
        self.done = true;
        Ok(Some(match self.too_long.take() {
            Some(scanner) => ClientLine::TooLong(scanner.request_id()),
            None => ClientLine::Whole(&self.line),
        }))
    }

    fn clear(&mut self) {
        // The memory of a large line is released.
        match self.line.capacity() > CHUNK {
            true => self.line = Vec::new(),
            false => self.line.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClientLine, LineReader};

    async fn read(text: &str, limit: usize) -> Vec<String> {
        let mut lines = LineReader::new(text.as_bytes(), limit);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("a slice can be read") {
            read.push(match line {
                ClientLine::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                ClientLine::TooLong(id) => format!("too long: {id:?}"),
            });
        }
        read
    }

    #[tokio::test]
    async fn lines_are_read_one_by_one_and_one_that_was_cut_off_is_dropped() {
        assert_eq!(read("one\n\ntwo\r\nthree", 10).await, ["one", "", "two\r"]);
        assert!(read("", 10).await.is_empty());
    }

    #[tokio::test]
    async fn of_a_line_that_is_too_long_only_the_id_is_left() {
        let filling = "x".repeat(300_000);
        let first = format!(r#"{{"id":7,"method":"m","params":{{"id":1,"x":"{filling}"}}}}"#);
        let last = format!(r#"{{"method":"m","params":{{"id":1,"x":"{filling}"}},"id":8}}"#);
        let text = format!("{first}\n{last}\n{filling}\nnext\n");
        assert_eq!(
            read(&text, 1_000).await,
            ["too long: Some(Number(7))", "too long: Some(Number(8))", "too long: None", "next"]
        );
        let fits = format!("{filling}\n");
        assert_eq!(read(&fits, 300_000).await[0].len(), 300_000);
    }
}
