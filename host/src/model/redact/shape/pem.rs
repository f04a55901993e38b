//! Private keys in PEM form: finds their lines that are only base64.

use crate::model::redact::harmless::is_plain;
use std::ops::Range;

/// Shortest line that counts as part of a key. A shorter one may be a command.
const MIN_LINE_LENGTH: usize = 16;

/// Adds the ranges to hide of a private key that begins at `start`, and returns where to continue.
/// Returns `None` if no key begins there.
pub(super) fn private_key(
    text: &str,
    start: usize,
    found: &mut Vec<Range<usize>>,
) -> Option<usize> {
    let label = text[start..].strip_prefix("-----BEGIN ")?;
    let most = label.floor_char_boundary(48);
    let label = &label[..label[..most].find("-----")?];
    if !label.ends_with("PRIVATE KEY") {
        return None;
    }
    let mut at = start + "-----BEGIN ".len() + label.len() + "-----".len();
    loop {
        let line = next_line(text, at)?;
        let end = line + text[line..].bytes().take_while(|byte| is_base64(*byte)).count();
        // A line with other characters is not part of a key: all of it is shown.
        let ends = end == text.len();
        if !ends && next_line(text, end).is_none() {
            return Some(line);
        }
        if is_part_of_key(&text[line..end]) {
            hide_line(text, line..end, found);
        }
        if ends {
            return Some(end);
        }
        at = end;
    }
}

/// Returns the beginning of the next line if a line ends at `at`. In JSON, and in variables, line
/// ends are escaped.
fn next_line(text: &str, at: usize) -> Option<usize> {
    let ends = ["\r\n", "\n", "\\r\\n", "\\n"];
    ends.iter().find(|end| text[at..].starts_with(**end)).map(|end| at + end.len())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Reports whether a line can only be part of a key.
fn is_part_of_key(line: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| line.as_bytes().iter().any(kind);
    line.len() >= MIN_LINE_LENGTH
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Hides a line, except for each `/` and `=` in it.
fn hide_line(text: &str, line: Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = line.start;
    while at < line.end {
        let end = (at..line.end).find(|at| !is_plain(bytes[*at])).unwrap_or(line.end);
        if end > at {
            found.push(at..end);
        }
        at = end + 1;
    }
}
