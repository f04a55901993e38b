//! One call from its text to its reply's text.

use crate::model::{Call, CallError, CallId, Code, Reply, RunId, ToolName};
use crate::router::{Router, Verdict};
use crate::sandbox::Settled;
use serde_json::Value;

/// Arguments up to this size are parsed where they are; larger ones would hold up other runs, and get a thread.
const PARSE_INLINE: usize = 128 << 10;

/// Parses the arguments of a call: once, into the one value that policy, journal and tool see.
pub(super) async fn parse(text: String) -> Result<Value, CallError> {
    let value = match text.len() <= PARSE_INLINE {
        true => serde_json::from_str(&text),
        false => match tokio::task::spawn_blocking(move || serde_json::from_str(&text)).await {
            Ok(value) => value,
            Err(error) => return Err(CallError::new(Code::Internal, error.to_string())),
        },
    };
    match value {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(CallError::new(Code::Arguments, "the arguments of a call must be an object")),
        Err(error) => {
            Err(CallError::new(Code::Arguments, format!("the arguments cannot be read: {error}")))
        }
    }
}

/// Carries out a call.
pub(super) async fn perform(
    router: &Router,
    run: RunId,
    id: CallId,
    tool: ToolName,
    arguments: String,
) -> Reply {
    let arguments = parse(arguments).await?;
    match router.route(Call::new(run, id, tool, arguments)) {
        Verdict::Go(reply) => reply.await,
        Verdict::Refuse(error) => Err(error),
    }
}

/// Writes a reply as the guest will get it.
pub(super) fn settle(reply: &Reply, limit: usize) -> Settled {
    match reply {
        Ok(value) => {
            let json = value.to_string();
            match json.len() > limit {
                true => settle(&Err(too_large(json.len(), limit)), limit),
                false => Settled::Value(json),
            }
        }
        Err(error) => Settled::Error {
            code: error.code.clone(),
            message: error.message.clone(),
            data: error.data.as_ref().map(Value::to_string).filter(|data| data.len() <= limit),
        },
    }
}

fn too_large(size: usize, limit: usize) -> CallError {
    let message = format!("the answer is {size} bytes of JSON, the limit is {limit}");
    CallError::new(Code::ReplySize, message)
}
