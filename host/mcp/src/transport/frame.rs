//! Reads one line of a client: a message, or something that is refused.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{from_str, json};

/// A line of a client.
#[derive(Debug)]
pub(super) enum ClientFrame {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Something that is answered with an error.
    Refused(FrameRefusal),
    /// Something that is not answered: an empty line, a notification or a response that nobody
    /// knows.
    Ignored,
}

/// The error answer to a line.
#[derive(Debug, PartialEq)]
pub(super) struct FrameRefusal {
    id: Option<RequestId>,
    code: ErrorCode,
    message: String,
}

impl FrameRefusal {
    fn new(id: Option<RequestId>, code: ErrorCode, message: impl Into<String>) -> FrameRefusal {
        FrameRefusal { id, code, message: message.into() }
    }

    /// Returns the refusal of a line that has more than `limit` bytes.
    pub(super) fn too_long(id: Option<RequestId>, limit: usize) -> FrameRefusal {
        let message = format!(
            "the message is larger than {} MiB: give a program less, and let it fetch what it needs \
             with its tools",
            limit >> 20
        );
        FrameRefusal::new(id, ErrorCode::INVALID_REQUEST, message)
    }

    /// Returns the refusal of a request whose id another one has that is not answered yet.
    pub(super) fn taken(id: RequestId) -> FrameRefusal {
        let message = "another request with this `id` is not answered yet";
        FrameRefusal::new(Some(id), ErrorCode::INVALID_REQUEST, message)
    }

    /// Returns the answer as it is sent.
    pub(super) fn to_line(&self) -> String {
        let FrameRefusal { id, code, message } = self;
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            .to_string()
    }
}

/// The fields of a message, unread.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    method: Field<'a>,
    #[serde(borrow, default)]
    params: Field<'a>,
    #[serde(borrow, default)]
    result: Field<'a>,
    #[serde(borrow, default)]
    error: Field<'a>,
}

/// The text of a field, or `None` if it is absent. `null` is present.
#[derive(Clone, Copy, Default)]
struct Field<'a>(Option<&'a str>);

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field<'a>, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Field(Some(raw.get())))
    }
}

impl ClientFrame {
    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> ClientFrame {
        let refused =
            |code, message: String| ClientFrame::Refused(FrameRefusal::new(None, code, message));
        let text = match std::str::from_utf8(line) {
            Ok(text) => text.trim_start_matches('\u{feff}').trim(),
            Err(error) => {
                let message = format!("the line is not UTF-8 at byte {}", error.valid_up_to() + 1);
                return refused(ErrorCode::PARSE_ERROR, message);
            }
        };
        match text.bytes().next() {
            None => ClientFrame::Ignored,
            Some(b'{') => match from_str::<Envelope<'_>>(text) {
                Ok(envelope) => envelope.check(text),
                Err(error) => ClientFrame::Refused(unreadable(&error)),
            },
            Some(first) => match from_str::<IgnoredAny>(text) {
                Ok(_) => {
                    let message = match first {
                        b'[' => "batches are not supported: send one message in each line",
                        _ => "a message is a JSON object",
                    };
                    refused(ErrorCode::INVALID_REQUEST, message.into())
                }
                Err(error) => ClientFrame::Refused(unreadable(&error)),
            },
        }
    }
}

impl Envelope<'_> {
    fn check(&self, text: &str) -> ClientFrame {
        let id = self.id.0.and_then(|id| from_str::<RequestId>(id).ok());
        let refused = |code, message: &str| {
            ClientFrame::Refused(FrameRefusal::new(id.clone(), code, message))
        };
        let invalid = |message: &str| refused(ErrorCode::INVALID_REQUEST, message);
        let Some(method) = self.method.0 else {
            return match self.result.0.is_some() || self.error.0.is_some() {
                true => parse(text).map_or(ClientFrame::Ignored, ClientFrame::Message),
                false => invalid("the message has no `method`"),
            };
        };
        if !method.starts_with('"') {
            return invalid("`method` must be a string");
        }
        if self.jsonrpc.0 != Some("\"2.0\"") {
            return invalid("`jsonrpc` must be \"2.0\"");
        }
        if self.id.0.is_some() && id.is_none() {
            return invalid("`id` must be a string or a whole number");
        }
        let is_notification = self.id.0.is_none();
        if self.params.0.is_some_and(|params| params != "null" && !params.starts_with('{')) {
            return match is_notification {
                true => ClientFrame::Ignored,
                false => refused(ErrorCode::INVALID_PARAMS, "`params` must be an object"),
            };
        }
        match parse(text) {
            Ok(message) => ClientFrame::Message(message),
            Err(_) if is_notification => ClientFrame::Ignored,
            Err(error) => invalid(&format!("the message cannot be read: {}", reason(&error))),
        }
    }
}

fn parse(text: &str) -> Result<Box<ClientJsonRpcMessage>, serde_json::Error> {
    from_str(text).map(Box::new)
}

/// Returns the refusal of a text that is not JSON, or has a field twice.
fn unreadable(error: &serde_json::Error) -> FrameRefusal {
    let (reason, column) = (reason(error), error.column());
    match error.is_data() {
        true => FrameRefusal::new(
            None,
            ErrorCode::INVALID_REQUEST,
            format!("the message has a {reason}"),
        ),
        false => {
            let message = format!("the line is not JSON: {reason}, at column {column}");
            FrameRefusal::new(None, ErrorCode::PARSE_ERROR, message)
        }
    }
}

/// Returns what is wrong with a JSON text, without the position.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{ClientFrame, FrameRefusal};
    use rmcp::model::RequestId;

    fn answer(line: &[u8]) -> String {
        match ClientFrame::read(line) {
            ClientFrame::Message(_) => "a message".into(),
            ClientFrame::Refused(refusal) => refusal.to_line(),
            ClientFrame::Ignored => "no answer".into(),
        }
    }

    #[test]
    fn every_line_has_its_answer() {
        let lines: &[&[u8]] = &[
            b"garbage",
            b"{\"half\":",
            b"{} {}",
            b"\"\xff\"",
            b"\0\x1b[2J",
            b"null",
            b"42",
            b"[]",
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            b"[1,",
            b"{}",
            br#"{"jsonrpc":"2.0"}"#,
            br#"{"jsonrpc":"2.0","id":5}"#,
            br#"{"jsonrpc":"2.0","id":5,"method":7}"#,
            br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
            br#"{"id":5,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[1]}"#,
            br#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\",\"params\":null}\r"
                .as_bytes(),
            br#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"echoed"}}"#,
            br#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
        ];
        let table: String = lines
            .iter()
            .map(|line| {
                format!("{}\n  {}\n", String::from_utf8_lossy(line).escape_debug(), answer(line))
            })
            .collect();
        insta::assert_snapshot!(table, @r#"
        garbage
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON: expected value, at column 1"}}
        {\"half\":
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON: EOF while parsing a value, at column 8"}}
        {} {}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON: trailing characters, at column 4"}}
        \"�\"
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not UTF-8 at byte 2"}}
        \0\u{1b}[2J
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON: expected value, at column 1"}}
        null
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is a JSON object"}}
        42
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is a JSON object"}}
        []
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send one message in each line"}}
        [{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send one message in each line"}}
        [1,
          {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON: EOF while parsing a value, at column 3"}}
        {}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has no `method`"}}
        {\"jsonrpc\":\"2.0\"}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has no `method`"}}
        {\"jsonrpc\":\"2.0\",\"id\":5}
          {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the message has no `method`"}}
        {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}
          {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"`method` must be a string"}}
        {\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
        {\"id\":5,\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
        {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` must be a string or a whole number"}}
        {\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` must be a string or a whole number"}}
        {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` must be a string or a whole number"}}
        {\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}
          {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has a duplicate field `id`"}}
        {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":[1]}
          {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"`params` must be an object"}}
        {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":[1]}
          no answer
        {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}
          a message
        \u{feff}{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\",\"params\":null}\r
          a message
        {\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}
          a message
        {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"echoed\"}}
          a message
        {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}
          a message
        "#);
    }

    #[test]
    fn an_empty_line_is_not_answered() {
        assert_eq!([&b""[..], b"  \r"].map(answer), ["no answer", "no answer"]);
    }

    #[test]
    fn a_message_that_nests_too_deep_is_refused_with_its_id() {
        let (open, close) = ("[".repeat(500), "]".repeat(500));
        let params = format!(r#"{{"name":"execute","arguments":{{"inputs":{open}{close}}}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{params}}}"#);
        let answer = answer(line.as_bytes());
        assert!(answer.contains("\"id\":9") && answer.contains("-32600"), "{answer}");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_with_its_id() {
        let refusal = FrameRefusal::too_long(Some(RequestId::Number(3)), 32 << 20);
        insta::assert_snapshot!(refusal.to_line(), @r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"the message is larger than 32 MiB: give a program less, and let it fetch what it needs with its tools"}}"#);
    }
}
