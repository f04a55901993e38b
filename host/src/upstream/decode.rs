//! Decodes a server's message, once and only as far as necessary.
//!
//! rmcp tries to parse an answer as every known result until one matches, and drops unknown fields.
//! So answers to calls and lists are passed on as plain JSON. Only the handshake is parsed into
//! rmcp's types.

use super::result::OVERSIZED;
use crate::model::parsed_size;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomResult, ErrorCode, ErrorData, NumberOrString,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Maximum memory of a parsed message, except for the answer to a call. The largest known lists
/// take some megabytes.
const MAX_PARSED_BYTES: usize = 128 << 20;

/// Shorter texts are not weighed.
const UNWEIGHED_BYTES: usize = 256 << 10;

/// Reports whether a JSON text takes too much memory when it is parsed.
pub(super) fn is_heavy(text: &str) -> bool {
    text.len() > UNWEIGHED_BYTES && parsed_size(text) > MAX_PARSED_BYTES
}

/// How the answer to a request is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedAnswer {
    /// The first answer of a server without a handshake.
    Discovery,
    /// The first answer of a server with a handshake.
    Handshake,
    /// The text of the JSON, which the caller parses.
    Call,
    /// Plain JSON.
    Plain,
    /// One of rmcp's results.
    Other,
}

impl ExpectedAnswer {
    /// Returns how to parse the answer to `request`.
    pub(super) fn of(request: &ClientRequest) -> ExpectedAnswer {
        match request {
            ClientRequest::DiscoverRequest(_) => ExpectedAnswer::Discovery,
            ClientRequest::InitializeRequest(_) => ExpectedAnswer::Handshake,
            ClientRequest::CallToolRequest(_) => ExpectedAnswer::Call,
            ClientRequest::ListToolsRequest(_) => ExpectedAnswer::Plain,
            _ => ExpectedAnswer::Other,
        }
    }

    /// Returns the id of `message` and how to parse its answer, if it is a request.
    pub(super) fn of_message(
        message: &ClientJsonRpcMessage,
    ) -> Option<(RequestId, ExpectedAnswer)> {
        match message {
            ClientJsonRpcMessage::Request(sent) => {
                Some((sent.id.clone(), ExpectedAnswer::of(&sent.request)))
            }
            _ => None,
        }
    }
}

/// The top-level fields of a message.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// The kind of a message.
#[derive(Debug)]
pub(super) enum MessageKind<'a> {
    /// The answer to one of our requests.
    Answer(i64, &'a RawValue),
    /// The refusal of one of our requests. Some servers do not include the id.
    Refusal(Option<i64>, ErrorData),
    /// A request from the server.
    Request,
    /// A notification from the server, with its method.
    Notification(String),
}

impl<'a> Envelope<'a> {
    /// Parses the top-level fields. Returns `None` if the line is not a JSON object.
    pub(super) fn open(line: &'a [u8]) -> Option<Envelope<'a>> {
        // serde would accept a list and read its items as the fields in order.
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        (first == Some(&b'{')).then(|| serde_json::from_slice(line).ok()).flatten()
    }

    /// Returns the kind of the message, or `None` if it is not JSON-RPC.
    pub(super) fn kind(&self) -> Option<MessageKind<'a>> {
        match (self.method, self.result, self.error) {
            (Some(method), None, None) => match self.id {
                Some(_) => Some(MessageKind::Request),
                None => serde_json::from_str(method.get()).ok().map(MessageKind::Notification),
            },
            (None, Some(result), None) => Some(MessageKind::Answer(self.id_number()?, result)),
            (None, None, Some(error)) => {
                Some(MessageKind::Refusal(self.id_number(), refusal(error)))
            }
            // A result of `null` is parsed as `None`.
            (None, None, None) if self.id.is_some() => {
                let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, "the answer is empty", None);
                Some(MessageKind::Refusal(self.id_number(), error))
            }
            _ => None,
        }
    }

    /// Our ids are numbers, but some servers send them back as strings.
    fn id_number(&self) -> Option<i64> {
        parse_id(self.id?.get())
    }
}

/// Parses an id.
pub(super) fn parse_id(text: &str) -> Option<i64> {
    match serde_json::from_str(text).ok()? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns an answer as a message of rmcp.
pub(super) fn answer(id: i64, expected: ExpectedAnswer, result: &RawValue) -> ServerJsonRpcMessage {
    let text = result.get();
    if expected != ExpectedAnswer::Call && is_heavy(text) {
        return refuse(id, OVERSIZED, "the answer takes too much memory".into());
    }
    let read = match expected {
        ExpectedAnswer::Call => {
            Ok(ServerResult::CustomResult(CustomResult(Value::String(text.to_owned()))))
        }
        ExpectedAnswer::Discovery => serde_json::from_str(text).map(ServerResult::DiscoverResult),
        ExpectedAnswer::Handshake => serde_json::from_str(text).map(ServerResult::InitializeResult),
        ExpectedAnswer::Plain => {
            serde_json::from_str(text).map(|value| ServerResult::CustomResult(CustomResult(value)))
        }
        ExpectedAnswer::Other => serde_json::from_str(text),
    };
    match read {
        Ok(result) => ServerJsonRpcMessage::response(result, NumberOrString::Number(id)),
        Err(error) => {
            refuse(id, ErrorCode::INTERNAL_ERROR, format!("its answer cannot be read: {error}"))
        }
    }
}

/// Returns a refusal that pml makes on behalf of the server.
pub(super) fn refuse(id: i64, code: ErrorCode, message: String) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(
        ErrorData::new(code, message, None),
        Some(NumberOrString::Number(id)),
    )
}

/// Parses an error, whatever its form.
fn refusal(error: &RawValue) -> ErrorData {
    let error: Value = match is_heavy(error.get()) {
        true => Value::from("an error that takes too much memory"),
        false => serde_json::from_str(error.get()).unwrap_or(Value::Null),
    };
    let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok());
    let message = match &error["message"] {
        Value::String(message) => message.clone(),
        _ => error.to_string(),
    };
    let data = error.get("data").filter(|data| !data.is_null()).cloned();
    ErrorData::new(code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode), message, data)
}

#[cfg(test)]
mod tests {
    use super::{Envelope, MessageKind};

    fn kind(line: &str) -> String {
        let envelope = Envelope::open(line.as_bytes());
        match envelope.as_ref().and_then(Envelope::kind) {
            None => "none".into(),
            Some(MessageKind::Answer(id, result)) => format!("answer {id} {result}"),
            Some(MessageKind::Refusal(id, error)) => {
                format!("refusal {id:?} {} {}", error.code.0, error.message)
            }
            Some(MessageKind::Request) => "request".into(),
            Some(MessageKind::Notification(method)) => format!("notification {method}"),
        }
    }

    #[test]
    fn messages_are_told_apart_by_their_outside() {
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":{"a": 1}}"#), r#"answer 1 {"a": 1}"#);
        assert_eq!(kind(r#"{"result":{},"id":"7"}"#), "answer 7 {}");
        assert_eq!(kind(r#"{"id":1,"method":"ping"}"#), "request");
        assert_eq!(
            kind(r#"{"method":"notifications/x","params":{}}"#),
            "notification notifications/x"
        );
        let refused = r#"{"id":2,"error":{"code":-32601,"message":"no"}}"#;
        assert_eq!(kind(refused), "refusal Some(2) -32601 no");
    }

    #[test]
    fn broken_messages_do_no_harm() {
        assert_eq!(kind(r#"{"error":"bad","id":null}"#), "refusal None -32603 \"bad\"");
        assert_eq!(kind(r#"{"id":3,"result":null}"#), "refusal Some(3) -32603 the answer is empty");
        for line in [
            "",
            "hello",
            "[]",
            "[1]",
            "[1,null,{}]",
            "{}",
            "1",
            r#"{"id":{},"result":1}"#,
            r#"{"id":1,"result":1,"error":2}"#,
        ] {
            assert_eq!(kind(line), "none", "{line}");
        }
    }
}
