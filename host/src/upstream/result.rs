//! What a tool's answer means to a program.
//!
//! `structuredContent` is the value, if there is any; else one text block is the JSON in it, or the text; anything else is
//! the list of content blocks, as the server wrote them. A tool that says it failed throws, without the secrets that its
//! server was given: errors are shown and kept.

use super::secrets::Secrets;
use crate::model::{CallError, Code, cut};
use rmcp::model::{ErrorCode, ErrorData, ServerResult};
use serde_json::{Map, Value, json};

/// A failing tool's message is cut to this; the content beside it is whole.
const MESSAGE: usize = 4_000;

/// Our own code for an answer that was too large to be read; no server has reason to send it.
pub(super) const OVERSIZED: ErrorCode = ErrorCode(i32::MIN);

/// Returns what the program gets for an answer.
pub(super) fn reply(answer: ServerResult, secrets: &Secrets) -> Result<Value, CallError> {
    let answer = match answer {
        ServerResult::CustomResult(answer) => answer.0,
        other => serde_json::to_value(other)
            .map_err(|error| CallError::tool(format!("its answer cannot be read: {error}")))?,
    };
    let Value::Object(mut answer) = answer else {
        return Err(CallError::tool("its answer is not an object"));
    };
    match answer.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        Some("input_required") => {
            return Err(CallError::tool("the tool asks for input, which programs cannot give"));
        }
        Some("task") => {
            return Err(CallError::tool(
                "the tool answers with a task, which programs cannot wait for",
            ));
        }
        Some(other) => {
            let message = format!(
                "the tool answers with a result of an unknown type: `{}`",
                secrets.words(other)
            );
            return Err(CallError::tool(message));
        }
    }
    if answer.get("isError") == Some(&Value::Bool(true)) {
        return Err(failure(answer, secrets));
    }
    if let Some(value) = answer.remove("structuredContent") {
        return Ok(value);
    }
    match answer.remove("content") {
        Some(Value::Array(blocks)) => Ok(plain(blocks)),
        // Before there were content blocks, or for want of any.
        _ => match answer.remove("toolResult") {
            Some(value) => Ok(value),
            None => Ok(Value::Array(Vec::new())),
        },
    }
}

/// Returns what a refused call throws.
pub(super) fn refusal(error: ErrorData, secrets: &Secrets) -> CallError {
    if error.code == OVERSIZED {
        return CallError::new(Code::ReplySize, error.message);
    }
    let code = match error.code {
        ErrorCode::INVALID_PARAMS => Code::Arguments,
        _ => Code::ToolFailed,
    };
    let mut data = json!({ "code": error.code.0 });
    if let Some(mut more) = error.data {
        secrets.hide_all(&mut more);
        data["data"] = more;
    }
    CallError::new(code, cut(&secrets.hide(&error.message), MESSAGE)).with_data(data)
}

/// One text block is what it says; several, or others, stay as they are.
fn plain(mut blocks: Vec<Value>) -> Value {
    match blocks.as_mut_slice() {
        [block] if block["type"] == "text" => match block["text"].take() {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        },
        _ => Value::Array(blocks),
    }
}

fn failure(mut answer: Map<String, Value>, secrets: &Secrets) -> CallError {
    let mut content = answer.remove("content").unwrap_or_else(|| Value::Array(Vec::new()));
    secrets.hide_all(&mut content);
    let texts = content.as_array().into_iter().flatten().filter(|block| block["type"] == "text");
    let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
    let message = match texts.join("\n") {
        text if text.trim().is_empty() => "the tool failed and did not say why".into(),
        text => cut(&text, MESSAGE),
    };
    let mut data = Map::from_iter([("content".to_owned(), content)]);
    if let Some(mut value) = answer.remove("structuredContent") {
        secrets.hide_all(&mut value);
        data.insert("structuredContent".into(), value);
    }
    CallError::tool(message).with_data(Value::Object(data))
}

#[cfg(test)]
mod tests {
    use super::{OVERSIZED, refusal, reply};
    use rmcp::model::{
        CallToolResult, ContentBlock, CustomResult, ErrorCode, ErrorData, ServerResult,
    };
    use serde_json::{Value, json};

    fn read(answer: Value) -> Result<Value, crate::model::CallError> {
        reply(ServerResult::CustomResult(CustomResult(answer)), &["hunter22"].into())
    }

    fn refused(error: ErrorData) -> crate::model::CallError {
        refusal(error, &["hunter22"].into())
    }

    fn text(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    #[test]
    fn structured_content_is_the_value() {
        let answer = json!({ "content": [text("x")], "structuredContent": { "n": 1 } });
        assert_eq!(read(answer), Ok(json!({ "n": 1 })));
        assert_eq!(read(json!({ "content": [], "structuredContent": null })), Ok(Value::Null));
    }

    #[test]
    fn one_text_is_its_json_or_itself() {
        let one = |said: &str| read(json!({ "content": [text(said)] })).expect("a value");
        assert_eq!(one(r#"{"a":[1]}"#), json!({ "a": [1] }));
        assert_eq!(one("12"), json!(12));
        assert_eq!(one("hello"), json!("hello"));
        assert_eq!(one(""), json!(""));
    }

    #[test]
    fn other_content_passes_through_as_it_is() {
        let image =
            json!({ "type": "image", "data": "AA==", "mimeType": "image/png", "own": true });
        let blocks = json!([text("1"), image]);
        assert_eq!(read(json!({ "content": blocks })), Ok(blocks));
        assert_eq!(read(json!({ "content": [image] })), Ok(json!([image])));
        assert_eq!(
            read(json!({ "content": [text("a"), text("b")] })),
            Ok(json!([text("a"), text("b")]))
        );
        assert_eq!(read(json!({ "content": [] })), Ok(json!([])));
        assert_eq!(read(json!({})), Ok(json!([])));
    }

    #[test]
    fn what_rmcp_has_read_means_the_same() {
        let typed = CallToolResult::success(vec![ContentBlock::text("[1]")]);
        assert_eq!(reply(ServerResult::CallToolResult(typed), &[].into()), Ok(json!([1])));
    }

    #[test]
    fn a_tool_that_failed_throws_with_its_words_and_content() {
        let answer =
            json!({ "isError": true, "content": [text("no such file"), text("try again")] });
        let error = read(answer).expect_err("a failure");
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("TOOL_FAILED", "no such file\ntry again")
        );
        assert_eq!(error.data.expect("data")["content"][1], text("try again"));
        let silent = read(json!({ "isError": true })).expect_err("a failure");
        assert_eq!(silent.message, "the tool failed and did not say why");
    }

    #[test]
    fn what_programs_cannot_answer_is_refused() {
        let message =
            |kind: &str| read(json!({ "resultType": kind })).expect_err("refused").message;
        assert!(message("input_required").contains("asks for input, which programs cannot give"));
        assert!(message("task").contains("a task"));
        assert!(message("odd").contains("`odd`"));
        assert!(read(json!(1)).is_err());
    }

    #[test]
    fn refusals_keep_the_servers_code_and_data() {
        let error =
            refused(ErrorData::new(ErrorCode::INVALID_PARAMS, "no `path`", Some(json!([1]))));
        assert_eq!((error.code.as_str(), error.message.as_str()), ("ARGUMENTS", "no `path`"));
        assert_eq!(error.data, Some(json!({ "code": -32602, "data": [1] })));
        let error = refused(ErrorData::new(ErrorCode(-32000), "busy", None));
        assert_eq!(
            (error.code.as_str(), error.data),
            ("TOOL_FAILED", Some(json!({ "code": -32000 })))
        );
        assert_eq!(refused(ErrorData::new(OVERSIZED, "large", None)).code, "REPLY_SIZE");
    }

    #[test]
    fn errors_hold_no_secret_of_their_server() {
        let data = Some(json!({ "headers": ["Bearer hunter22"] }));
        let long = format!("{}hunter22", "x".repeat(super::MESSAGE - 4));
        let answer = json!({ "isError": true, "content": [text("hunter22 is wrong")], "structuredContent": "hunter22" });
        for error in [
            refused(ErrorData::new(ErrorCode(-32000), "hunter22 is wrong", data)),
            refused(ErrorData::new(ErrorCode(-32000), long, None)),
            read(answer).expect_err("a failure"),
        ] {
            let shown = format!("{error:?}");
            assert!(!shown.contains("hunt") && shown.contains("[hi"), "{shown}");
        }
        // What a tool returns is the program's.
        assert_eq!(read(json!({ "content": [text("hunter22")] })), Ok(json!("hunter22")));
    }
}
