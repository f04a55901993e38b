//! Private keys in PEM: the lines of them that are nothing but base64.

use crate::model::redact::harmless::is_plain;
use std::ops::Range;

/// The shortest line that is taken for a part of a key. A shorter one may be a command.
const LINE: usize = 16;

/// Adds what is to be hidden of a private key that begins at `start`, and returns where to look on.
/// Nothing if none begins there.
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
        let line = line_end(text, at)?;
        let end = line + text[line..].bytes().take_while(|byte| in_base64(*byte)).count();
        // What is more than base64 is no line of a key: all of it is shown.
        let ends = end == text.len();
        if !ends && line_end(text, end).is_none() {
            return Some(line);
        }
        if is_part_of_key(&text[line..end]) {
            add(text, line..end, found);
        }
        if ends {
            return Some(end);
        }
        at = end;
    }
}

/// Where the next line begins, if one ends here; in JSON, and in variables, line ends are spelled
/// out.
fn line_end(text: &str, at: usize) -> Option<usize> {
    let ends = ["\r\n", "\n", "\\r\\n", "\\n"];
    ends.iter().find(|end| text[at..].starts_with(**end)).map(|end| at + end.len())
}

fn in_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line could be nothing else.
fn is_part_of_key(line: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| line.as_bytes().iter().any(kind);
    line.len() >= LINE
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Hides a line, but no `/` and no `=` of it.
fn add(text: &str, line: Range<usize>, found: &mut Vec<Range<usize>>) {
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
