//! One call from its text to its reply's text.

use super::calls::Approval;
use crate::model::{Call, CallError, CallId, Code, Reply, RunId, Settled};
use crate::router::{Found, Given, Router, Subject, Verdict};
use serde_json::Value;
use std::sync::Arc;

/// Arguments up to this size are parsed where they are; larger ones would hold up other runs, and get a thread.
const PARSE_INLINE: usize = 128 << 10;

/// Parses the arguments of a call into the one value that policy and tool see.
pub(super) fn parse(text: &str) -> Result<Value, CallError> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(CallError::new(Code::Arguments, "the arguments of a call must be an object")),
        Err(error) => {
            Err(CallError::new(Code::Arguments, format!("the arguments cannot be read: {error}")))
        }
    }
}

/// Parses large arguments on another thread.
async fn parse_aside(text: String) -> Result<Value, CallError> {
    if text.len() <= PARSE_INLINE {
        return parse(&text);
    }
    match tokio::task::spawn_blocking(move || parse(&text)).await {
        Ok(value) => value,
        Err(error) => Err(CallError::new(Code::Internal, error.to_string())),
    }
}

/// What came of a call.
pub(super) enum Performed {
    /// Its outcome.
    Reply(Reply),
    /// It did not go out: its tool is not what was decided about, or lacks something by now.
    Changed(Box<Found>, String),
}

/// Carries out a call.
pub(super) async fn perform(
    router: &Router,
    run: RunId,
    id: CallId,
    decided: Found,
    approval: Option<Arc<Approval>>,
    arguments: String,
) -> Performed {
    let found = async { Ok((parse_aside(arguments).await?, router.find(&decided.tool).await?)) };
    let (arguments, found) = match found.await {
        Ok(found) => found,
        Err(error) => return Performed::Reply(Err(error)),
    };
    // An approval is of one definition of one server.
    let differs = decided.origin.is_some() && decided.origin != found.origin;
    // A person's approval is of exactly what goes out.
    let approved = |approval: Arc<Approval>| approval.covers(&found, &arguments);
    if found.need.is_some() || differs || !approval.is_none_or(approved) {
        return Performed::Changed(Box::new(found), arguments.to_string());
    }
    Performed::Reply(send(router, run, id, found, arguments).await)
}

async fn send(router: &Router, run: RunId, id: CallId, found: Found, arguments: Value) -> Reply {
    let Found { tool, origin, .. } = found;
    // A person may have taken long to approve it: what is denied by now stays here.
    let given = Given::Value(&arguments);
    let subject = Subject { tool: &tool, origin: origin.as_ref(), arguments: given };
    if let Verdict::Deny(error) = router.verdict(subject) {
        return Err(error);
    }
    router.check(&tool, &arguments)?;
    router.go(Call::new(run, id, tool, arguments)).await
}

/// Writes a reply as the guest will get it.
pub(super) fn settle(reply: &Reply, limit: usize) -> Settled {
    match reply {
        Ok(value) => match write(value, limit) {
            Some(json) => Settled::Value(json),
            None => settle(&Err(too_large(limit)), limit),
        },
        Err(error) => Settled::Error {
            code: error.code.clone(),
            message: error.message.clone(),
            data: error.data.as_ref().and_then(|data| write(data, limit)),
        },
    }
}

/// Writes a value as JSON, and stops where it gets too long.
fn write(value: &Value, limit: usize) -> Option<String> {
    struct Bounded(Vec<u8>, usize);

    impl std::io::Write for Bounded {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() + bytes.len() > self.1 {
                return Err(std::io::ErrorKind::FileTooLarge.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut json = Bounded(Vec::with_capacity(128), limit);
    serde_json::to_writer(&mut json, value).ok()?;
    String::from_utf8(json.0).ok()
}

fn too_large(limit: usize) -> CallError {
    let message = format!("the answer is more than {limit} bytes of JSON");
    CallError::new(Code::ReplySize, message)
}
