//! Estimates the size of a JSON text once it is parsed, without parsing it.

use super::compact::end_of_string;
use super::size::{VALUE, array, object, string};

/// The deepest nesting that `serde_json` parses.
pub(super) const DEPTH: usize = 127;

/// Returns about how many bytes a JSON text takes as a value. A text that is not valid JSON is
/// estimated as far as it looks like JSON.
pub fn parsed_size(text: &str) -> usize {
    let mut total = VALUE;
    // For each open bracket, the number of commas in it, and whether it contains anything.
    let mut open = [(0usize, false); DEPTH];
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b':' => continue,
            b']' | b'}' => {
                let Some(inner) = depth.checked_sub(1) else { return total };
                depth = inner;
                let (commas, filled) = open[depth];
                let items = if filled { commas + 1 } else { 0 };
                total += if *byte == b']' { array(items) } else { object(items) };
                continue;
            }
            b',' => {
                if let Some(level) = depth.checked_sub(1) {
                    open[level].0 += 1;
                }
                continue;
            }
            _ => {}
        }
        if let Some(level) = depth.checked_sub(1) {
            open[level].1 = true;
        }
        match byte {
            b'"' => {
                let start = at;
                at = end_of_string(bytes, start);
                total += string(at.saturating_sub(start + 1));
            }
            b'[' | b'{' => {
                if depth == DEPTH {
                    return total;
                }
                open[depth] = (0, false);
                depth += 1;
            }
            _ => {}
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::parsed_size;

    #[test]
    fn what_is_small_as_text_may_be_large_as_a_value() {
        let lists = format!("[{}[0]]", "[0],".repeat(1000));
        let factor = parsed_size(&lists) / lists.len();
        assert!((50..200).contains(&factor), "{factor}");
        let objects = format!("[{}{{}}]", "{\"\":0},".repeat(1000));
        let factor = parsed_size(&objects) / objects.len();
        assert!((30..200).contains(&factor), "{factor}");
    }

    #[test]
    fn a_text_takes_about_what_it_is_long() {
        let text = format!("{{\"text\":\"{}\"}}", "x[{,\\\"".repeat(10_000));
        assert!(parsed_size(&text) < text.len() + 1000);
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        for odd in ["", "]", "}}", "\"", "\"\\", "[\"\\", ",,,", &"[".repeat(100_000)] {
            assert!(parsed_size(odd) < 1_000_000, "{odd:.10}");
        }
    }
}
