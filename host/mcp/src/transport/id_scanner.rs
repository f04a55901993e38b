//! Finds the id of a message that is too large to be stored.
//!
//! Some clients write the id first and some last, so the whole message is scanned. Only the keys of
//! the message itself are looked at.

use rmcp::model::RequestId;

/// Maximum number of bytes of a key or an id that are stored: ids are much shorter.
const MAX_TOKEN: usize = 256;

/// Scans a message, part by part.
#[derive(Default)]
pub(super) struct IdScanner {
    depth: usize,
    text: TextState,
    /// The bytes of the key or value at the top level, as far as they are stored.
    token: Vec<u8>,
    /// Whether the token is longer than it may be, or not a plain value.
    unusable: bool,
    key: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

#[derive(Default, PartialEq, Eq)]
enum TextState {
    #[default]
    Outside,
    Inside,
    Escaped,
}

impl IdScanner {
    /// Scans the next part of the message.
    pub(super) fn scan(&mut self, part: &[u8]) {
        for byte in part {
            self.scan_byte(*byte);
        }
    }

    /// Returns the id of the message, if it is a request.
    pub(super) fn request_id(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }

    fn scan_byte(&mut self, byte: u8) {
        match self.text {
            TextState::Escaped => self.text = TextState::Inside,
            TextState::Inside if byte == b'\\' => self.text = TextState::Escaped,
            TextState::Inside if byte == b'"' => self.text = TextState::Outside,
            TextState::Inside => {}
            TextState::Outside => match byte {
                b'"' => self.text = TextState::Inside,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.unusable = self.depth > 1;
                    return;
                }
                b'}' | b']' => {
                    if self.depth == 1 {
                        self.end_value();
                    }
                    self.depth = self.depth.saturating_sub(1);
                    return;
                }
                b':' if self.depth == 1 => return self.end_key(),
                b',' if self.depth == 1 => return self.end_value(),
                b' ' | b'\t' | b'\r' => return,
                _ => {}
            },
        }
        if self.depth != 1 || self.unusable {
            return;
        }
        self.token.push(byte);
        self.unusable = self.token.len() > MAX_TOKEN;
    }

    fn end_key(&mut self) {
        self.key = std::mem::take(&mut self.token);
        self.has_method |= self.key == b"\"method\"";
        self.unusable = false;
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.token);
        if self.key == b"\"id\"" && !self.unusable {
            self.id = serde_json::from_slice(&value).ok();
        }
        self.key.clear();
        self.unusable = false;
    }
}

#[cfg(test)]
mod tests {
    use super::IdScanner;
    use rmcp::model::RequestId;

    fn id_of(message: &str) -> Option<RequestId> {
        let (mut whole, mut bytewise) = (IdScanner::default(), IdScanner::default());
        whole.scan(message.as_bytes());
        message.bytes().for_each(|byte| bytewise.scan(&[byte]));
        let id = whole.request_id();
        assert_eq!(id, bytewise.request_id());
        id
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        let number = Some(RequestId::Number(7));
        assert_eq!(id_of(r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":9}}"#), number);
        assert_eq!(id_of(r#"{"method":"a","params":{"id":9,"t":"\"}\\"},"id": 7 }"#), number);
        let text = Some(RequestId::String("x-1".into()));
        assert_eq!(id_of(r#"{"params":[[{"id":1}]],"method":"a","id":"x-1"}"#), text);
    }

    #[test]
    fn what_is_no_request_with_an_id_has_none() {
        let long = format!(r#"{{"method":"a","id":"{}"}}"#, "x".repeat(1_000));
        for message in [
            r#"{"result":{},"id":7}"#,
            r#"{"method":"a","params":{"id":7}}"#,
            r#"{"method":"a","id":{"id":7}}"#,
            r#"{"method":"a","id":[7]}"#,
            r#"{"method":"a","id":null}"#,
            r#"[{"method":"a","id":7}]"#,
            r#"{"method":"a","text":"\"id\":7,","x":1}"#,
            "nonsense",
            &long,
        ] {
            assert_eq!(id_of(message), None, "{message}");
        }
    }
}
