//! Reads the lines of a hostile writer.
//!
//! **Invariant:** no line is stored beyond the limit. If the future of `next` is dropped, no data
//! is lost.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// Size of the beginning and of the end that are stored of a line that is too long: enough to find
/// its id in either.
pub(super) const ENDS: usize = 1 << 10;

/// Reads line by line.
pub(super) struct LineReader<R> {
    source: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// Number of bytes of the line that were not stored. 0 for a line that fits.
    skipped: usize,
    /// Whether the last line was returned.
    done: bool,
}

/// A line, without its end.
#[derive(Debug, PartialEq)]
pub(super) enum BoundedLine<'a> {
    /// The complete line.
    Whole(&'a [u8]),
    /// The beginning and the end of a line that is too long, concatenated.
    TooLong(&'a [u8]),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Returns a reader of lines of at most `limit` bytes.
    pub(super) fn new(source: R, limit: usize) -> LineReader<R> {
        let source = BufReader::with_capacity(CHUNK, source);
        LineReader { source, limit, line: Vec::new(), skipped: 0, done: true }
    }

    /// Returns the next line, or `None` at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<BoundedLine<'_>>> {
        if self.done {
            self.done = false;
            self.skipped = 0;
            // The memory of a large line is released.
            match self.line.capacity() > CHUNK {
                true => self.line = Vec::new(),
                false => self.line.clear(),
            }
        }
        loop {
            let chunk = self.source.fill_buf().await?;
            if chunk.is_empty() {
                match self.line.is_empty() {
                    true => return Ok(None),
                    false => break,
                }
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            let part = &chunk[..end.unwrap_or(taken)];
            if self.skipped == 0 && self.line.len() + part.len() <= self.limit {
                self.line.extend_from_slice(part);
            } else {
                keep_ends(&mut self.line, part);
                self.skipped += part.len();
            }
            self.source.consume(taken);
            if end.is_some() {
                break;
            }
        }
        self.done = true;
        Ok(Some(match self.skipped {
            0 => BoundedLine::Whole(&self.line),
            _ => BoundedLine::TooLong(&self.line),
        }))
    }
}

/// Adds to a line that is too long. Only its beginning and end are stored.
fn keep_ends(line: &mut Vec<u8>, part: &[u8]) {
    let part = &part[part.len().saturating_sub(ENDS)..];
    line.extend_from_slice(part);
    if line.len() > 2 * ENDS {
        line.drain(ENDS..line.len() - ENDS);
        line.shrink_to(CHUNK);
    }
}

/// Returns the id of a message of which only the ends are known: `"id":` as its first or second
/// key, or its last.
pub(super) fn id_of(ends: &[u8]) -> Option<i64> {
    let text = String::from_utf8_lossy(ends);
    let head = text.find("\"result\"").or_else(|| text.find("\"error\"")).unwrap_or(0);
    let (head, rest) = text.split_at(head);
    // After the result there is at most `"jsonrpc":"2.0"` beside the id, so the id follows the last
    // bracket or brace.
    let tail = rest.trim_end().strip_suffix('}').map_or("", |rest| {
        let inside = rest.rfind(['}', ']']).map_or(0, |at| at + 1);
        &rest[inside..]
    });
    [head, tail].into_iter().find_map(|part| {
        let value = part[part.find("\"id\"")? + 4..].trim_start().strip_prefix(':')?;
        let value = value.split([',', '}']).next()?;
        super::super::decode::parse_id(value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::{BoundedLine, LineReader, id_of};

    async fn read(text: &[u8], limit: usize) -> Vec<String> {
        let mut lines = LineReader::new(text, limit);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("a slice can be read") {
            read.push(match line {
                BoundedLine::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                BoundedLine::TooLong(ends) => format!("too long: {}", ends.len()),
            });
        }
        read
    }

    #[tokio::test]
    async fn lines_are_read_one_by_one() {
        assert_eq!(read(b"one\n\ntwo\r\nthree", 10).await, ["one", "", "two\r", "three"]);
        assert!(read(b"", 10).await.is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let mut text = vec![b'x'; 10_000_000];
        text.extend_from_slice(b"\nnext\n");
        assert_eq!(read(&text, 1_000_000).await, ["too long: 2048", "next"]);
        let fits = vec![b'x'; 300_000];
        assert_eq!(read(&fits, 300_000).await[0].len(), 300_000);
    }

    #[test]
    fn the_id_is_found_at_either_end() {
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":12,"result":{"content":[{"id":99"#), Some(12));
        assert_eq!(id_of(br#"{"id": "7" ,"jsonrpc":"2.0","result":{"#), Some(7));
        assert_eq!(id_of(br#"{"result":{"id":99}},"jsonrpc":"2.0","id":5}"#), Some(5));
        assert_eq!(id_of(br#"{"result":{"id":99,"a":"x"}}"#), None);
        assert_eq!(id_of(b"xxxxxxx"), None);
    }
}
