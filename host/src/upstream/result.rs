//! Turns a tool's answer into the reply for a program.
//!
//! `structuredContent` is the value, if there is any. Otherwise, if there is one text block, its
//! JSON is the value, or else its text. Any other answer is the list of content blocks, as the
//! server wrote them. A tool that reports a failure throws. The secrets of its server are hidden in
//! the error, because errors are shown and stored.
//!
//! **Invariant:** an answer is processed as text and stays text. Only the content of a failure is
//! parsed into a value, within a budget.

use super::secrets::ServerSecrets;
use crate::model::{
    CallError, Code, CompactError, ParseError, WorkSlice, compact, cut, parse, parsed_size,
};
use crate::upstream::tool_result_fields::{RawContentBlock, SingleItem, ToolResultFields};
use rmcp::model::{CustomResult, ErrorCode, ErrorData, ServerResult};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Maximum length of a failing tool's message. The content beside it is complete.
const MAX_MESSAGE: usize = 4_000;

/// Our own code for an answer that is too large to be read. No server has reason to send it.
pub(super) const OVERSIZED: ErrorCode = ErrorCode(i32::MIN);

/// Returns the text of an answer, which `decode` does not parse.
pub(super) fn text_of(answer: ServerResult) -> Result<String, CallError> {
    let unreadable = |error| CallError::tool(format!("its answer cannot be read: {error}"));
    match answer {
        ServerResult::CustomResult(CustomResult(Value::String(text))) => Ok(text),
        other => serde_json::to_string(&other).map_err(unreadable),
    }
}

/// Returns the reply for an answer, as one JSON text. The content of a failure may take `memory`
/// bytes.
pub(super) fn reply(
    answer: &str,
    secrets: &ServerSecrets,
    memory: usize,
    slice: &WorkSlice<'_>,
) -> Result<String, CallError> {
    let answer = ToolResultFields::read(answer)?;
    slice.check()?;
    match answer.kind().as_deref() {
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
                secrets.safe_text(other)
            );
            return Err(CallError::tool(message));
        }
    }
    if answer.failed() {
        return Err(failure(&answer, secrets, memory, slice)?);
    }
    if let Some(value) = answer.structured {
        return Ok(compact(value.get(), slice)?);
    }
    let Some(content) = answer.content.filter(|content| content.get().starts_with('[')) else {
        // Older servers use `toolResult` in place of content blocks.
        return match answer.tool_result {
            Some(value) => Ok(compact(value.get(), slice)?),
            None => Ok("[]".into()),
        };
    };
    let only = serde_json::from_str::<SingleItem<'_>>(content.get()).ok().and_then(|only| only.0);
    slice.check()?;
    match only.and_then(RawContentBlock::read).filter(RawContentBlock::is_text) {
        Some(block) => text_reply(block.text, slice),
        None => Ok(compact(content.get(), slice)?),
    }
}

/// Returns the error that a refused call throws.
pub(super) fn refusal(error: ErrorData, secrets: &ServerSecrets) -> CallError {
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
    CallError::new(code, cut(&secrets.hide(&error.message), MAX_MESSAGE)).with_data(data)
}

/// Returns the JSON in a text block, or else its text as a JSON string.
fn text_reply(text: Option<&RawValue>, slice: &WorkSlice<'_>) -> Result<String, CallError> {
    let Some(raw) = text else { return Ok("null".into()) };
    let content = match raw.get().starts_with('"') {
        true => serde_json::from_str::<String>(raw.get()).ok(),
        false => None,
    };
    slice.check()?;
    match content.filter(|content| serde_json::from_str::<IgnoredAny>(content).is_ok()) {
        Some(json) => match compact(&json, slice) {
            // JSON too deep for a program to parse is returned as a text.
            Err(CompactError::TooDeep) => Ok(raw.get().into()),
            done => Ok(done?),
        },
        None => Ok(raw.get().into()),
    }
}

fn failure(
    answer: &ToolResultFields<'_>,
    secrets: &ServerSecrets,
    memory: usize,
    slice: &WorkSlice<'_>,
) -> Result<CallError, CallError> {
    let mut remaining = memory;
    let mut value = |raw: &RawValue| match parse(raw.get(), remaining, slice) {
        Ok(mut value) => {
            remaining = remaining.saturating_sub(parsed_size(raw.get()));
            secrets.hide_all(&mut value);
            Ok(value)
        }
        Err(ParseError::TooLarge(_)) => {
            let message = format!(
                "the tool failed, and what it says takes more than {memory} bytes of memory"
            );
            Err(CallError::tool(message))
        }
        Err(ParseError::Halted(halt)) => Err(halt.into()),
        Err(ParseError::Json(error)) => {
            Err(CallError::tool(format!("its answer cannot be read: {error}")))
        }
    };
    let content = match answer.content {
        Some(content) => value(content)?,
        None => Value::Array(Vec::new()),
    };
    let texts = content.as_array().into_iter().flatten().filter(|block| block["type"] == "text");
    let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
    let message = match texts.join("\n") {
        text if text.trim().is_empty() => "the tool failed and did not say why".into(),
        text => cut(&text, MAX_MESSAGE),
    };
    let mut data = Map::from_iter([("content".to_owned(), content)]);
    if let Some(structured) = answer.structured {
        data.insert("structuredContent".into(), value(structured)?);
    }
    Ok(CallError::tool(message).with_data(Value::Object(data)))
}

#[cfg(test)]
mod tests {
    use super::{OVERSIZED, refusal, reply, text_of};
    use crate::model::{CallError, RunBudget};
    use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, ServerResult};
    use serde_json::{Value, json};

    const MEMORY: usize = 1 << 20;

    fn read_text(answer: &str) -> Result<String, CallError> {
        RunBudget::without_run().work_here(answer.len(), |work| {
            reply(answer, &["hunter22"].into(), MEMORY, &work.begin())
        })
    }

    fn read(answer: Value) -> Result<Value, CallError> {
        let text = read_text(&answer.to_string())?;
        Ok(serde_json::from_str(&text).expect("JSON"))
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
        let text = text_of(ServerResult::CallToolResult(typed)).expect("text");
        assert_eq!(read_text(&text).as_deref(), Ok("[1]"));
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
        assert!(read(json!([1, 2])).is_err());
    }

    #[test]
    fn an_answer_stays_text_however_it_is_written() {
        let spaced =
            r#"{ "content" : [ { "type" : "text" , "text" : "{ \"a b\" : [ 1 , 2 ] }" } ] }"#;
        assert_eq!(read_text(spaced).as_deref(), Ok(r#"{"a b":[1,2]}"#));
        let structured = r#"{"structuredContent": {"n": 1.50, "s": " \" "}}"#;
        assert_eq!(read_text(structured).as_deref(), Ok(r#"{"n":1.50,"s":" \" "}"#));
        let odd = r#"{"content":[{"type":"text","text":"\ud800"}]}"#;
        assert_eq!(read_text(odd).as_deref(), Ok(r#""\ud800""#));
        let block = r#"{"content":[{"type":"text","text":7}]}"#;
        assert_eq!(read_text(block).as_deref(), Ok("7"));
    }

    #[test]
    fn what_a_failed_tool_says_is_bounded() {
        let lists = format!("[{}[0]]", "[0],".repeat(MEMORY / 64));
        let answer = format!(r#"{{"isError":true,"structuredContent":{lists}}}"#);
        let error = read_text(&answer).expect_err("a failure");
        assert!(error.message.contains("more than 1048576 bytes of memory"), "{error:?}");
        let fine = format!(r#"{{"structuredContent":{lists}}}"#);
        assert_eq!(read_text(&fine).map(|text| text.len()), Ok(lists.len()));
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
        let long = format!("{}hunter22", "x".repeat(super::MAX_MESSAGE - 4));
        let answer = json!({ "isError": true, "content": [text("hunter22 is wrong")], "structuredContent": "hunter22" });
        for error in [
            refused(ErrorData::new(ErrorCode(-32000), "hunter22 is wrong", data)),
            refused(ErrorData::new(ErrorCode(-32000), long, None)),
            read(answer).expect_err("a failure"),
        ] {
            let shown = format!("{error:?}");
            assert!(!shown.contains("hunt") && shown.contains("[hi"), "{shown}");
        }
        // The reply of a tool belongs to the program and is not redacted.
        assert_eq!(read(json!({ "content": [text("hunter22")] })), Ok(json!("hunter22")));
    }
}
