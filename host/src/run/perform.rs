//! Performs one call: parses its arguments, sends it, and writes its outcome as JSON text.

use super::calls::Approval;
use crate::model::{
    Call, CallError, CallId, CallProgressSink, CallResult, Code, INLINE_LIMIT, JsonReply,
    ParseError, Reply, RunBudget, RunId, WorkSlice, WriteError, write,
};
use crate::router::{ArgumentsRef, PolicyVerdict, RoutedTool, Router};
use serde_json::Value;
use std::sync::Arc;

/// Parses the arguments of a call into the one value that policy and tool see. Use [`parse_aside`]
/// for long arguments.
pub(super) fn parse(text: &str, budget: &RunBudget) -> Result<Value, CallError> {
    let memory = budget.host_memory();
    budget.work_here(text.len(), |work| object(text, memory, &work.begin()))
}

/// Parses arguments, on another thread if they are long. Returns the text and the value.
pub(super) async fn parse_aside(
    text: String,
    budget: &RunBudget,
) -> Result<(String, Value), CallError> {
    let memory = budget.host_memory();
    let parsed = budget.work(text.len(), move |work| {
        let value = object(&text, memory, &work.begin())?;
        Ok((text, value))
    });
    parsed.await?
}

fn object(text: &str, memory: usize, slice: &WorkSlice<'_>) -> Result<Value, CallError> {
    let refuse = |message: String| Err(CallError::new(Code::Arguments, message));
    match crate::model::parse(text, memory, slice) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => refuse("the arguments of a call must be an object".into()),
        Err(ParseError::Json(error)) => refuse(format!("the arguments cannot be read: {error}")),
        Err(ParseError::Halted(halt)) => Err(halt.into()),
        Err(ParseError::TooLarge(limit)) => {
            let message = format!(
                "the arguments take more than {limit} bytes of memory once they are parsed"
            );
            Err(CallError::new(Code::ArgumentsSize, message))
        }
    }
}

/// A call that is sent now.
pub(super) struct OutgoingCall {
    pub(super) run: RunId,
    pub(super) id: CallId,
    /// The tool that was decided on.
    pub(super) found: RoutedTool,
    /// What a person approved, if one was asked.
    pub(super) approval: Option<Arc<Approval>>,
    pub(super) arguments: String,
    /// The arguments, if they were parsed before.
    pub(super) parsed: Option<Value>,
    /// The bytes that an answer may have.
    pub(super) reply_limit: usize,
    /// Receives the progress of the call.
    pub(super) progress: CallProgressSink,
}

/// The result of performing a call.
pub(super) enum PerformOutcome {
    /// The outcome, and the error if the outcome is one.
    Settled(CallResult, Option<CallError>),
    /// The call was not sent: its tool is not the one that was decided on, or has a need.
    Changed(Box<RoutedTool>, String),
}

/// Performs a call.
pub(super) async fn perform(
    router: &Router,
    budget: &RunBudget,
    outgoing: OutgoingCall,
) -> PerformOutcome {
    let OutgoingCall { run, id, found: decided, approval, arguments, parsed, .. } = outgoing;
    let (reply_limit, progress) = (outgoing.reply_limit, outgoing.progress);
    let found = async {
        let parsed = match parsed {
            Some(value) => (arguments, value),
            None => parse_aside(arguments, budget).await?,
        };
        Ok((parsed, router.find(decided.tool.clone()).await?))
    };
    let reply = match found.await {
        Ok(((text, value), found)) => {
            // A decision is about one definition of one server.
            let differs = decided.origin.is_some() && decided.origin != found.origin;
            // A person's approval covers exactly the call that is sent.
            let approved = |approval: Arc<Approval>| approval.covers(&found, &value);
            // What differs from the lock goes only if a person was told so.
            let accepted = approval.as_ref().is_some_and(|approval| approval.accepts_change());
            let changed = found.change.is_some() && !accepted;
            if found.need.is_some() || differs || changed || !approval.is_none_or(approved) {
                return PerformOutcome::Changed(Box::new(found), text);
            }
            // The arguments are written once more when they are sent.
            budget.charge_for(text.len());
            let call = Call::new(run, id, found.tool.clone(), value).with_progress(progress);
            send(router, budget, found, call).await
        }
        Err(error) => Err(error),
    };
    let (settled, error) = settle_aside(reply, reply_limit, budget).await;
    PerformOutcome::Settled(settled, error)
}

async fn send(
    router: &Router,
    budget: &RunBudget,
    found: RoutedTool,
    call: Call,
) -> Result<JsonReply, CallError> {
    let arguments = &call.arguments;
    // The policy may have changed while a person decided.
    if let PolicyVerdict::Deny(error) = router.verdict(&found, ArgumentsRef::Value(arguments)) {
        return Err(error);
    }
    found.check(arguments)?;
    found.record_use().await?;
    found.call(call.with_budget(budget.clone())).await
}

/// Writes a reply for the guest, on another thread if it is long.
async fn settle_aside(
    reply: Result<JsonReply, CallError>,
    limit: usize,
    budget: &RunBudget,
) -> (CallResult, Option<CallError>) {
    let error = match reply {
        Ok(JsonReply::Text(text)) if text.len() <= limit => return (CallResult::Value(text), None),
        Ok(JsonReply::Text(text)) => too_large(text.len(), limit),
        Ok(JsonReply::Value(value)) => match write_aside(value, limit, budget).await {
            Ok(json) => return (CallResult::Value(json), None),
            Err(error) => not_written(error),
        },
        Err(error) => error,
    };
    refuse_aside(error, limit, budget).await
}

/// Writes an error for the guest. Long data of the error goes to the guest only.
async fn refuse_aside(
    mut error: CallError,
    limit: usize,
    budget: &RunBudget,
) -> (CallResult, Option<CallError>) {
    let short = error.data.as_ref().map(|data| write_here(data, limit.min(INLINE_LIMIT), budget));
    let written = match short {
        None => None,
        Some(Ok(json)) => Some(json),
        Some(Err(_)) => match error.data.take() {
            Some(data) => write_aside(data, limit, budget).await.ok(),
            None => None,
        },
    };
    let CallError { code, message, .. } = &error;
    let settled = CallResult::Error { code: code.clone(), message: message.clone(), data: written };
    (settled, Some(error))
}

/// Writes a value as JSON. A long value is written on another thread, and dropped there.
pub(super) async fn write_aside(
    value: Value,
    limit: usize,
    budget: &RunBudget,
) -> Result<String, WriteError> {
    match write_here(&value, limit.min(INLINE_LIMIT), budget) {
        Err(WriteError::TooLarge(_)) if limit > INLINE_LIMIT => {
            let written = budget.work(usize::MAX, move |work| {
                let slice = work.begin();
                let written = write(&value, limit, &slice);
                // Dropping a large value is work too.
                drop(value);
                written
            });
            written.await.unwrap_or_else(|halt| Err(WriteError::Halted(halt)))
        }
        written => written,
    }
}

fn write_here(value: &Value, limit: usize, budget: &RunBudget) -> Result<String, WriteError> {
    let written = budget.work_here(0, |work| write(value, limit, &work.begin()));
    budget.charge_for(written.as_ref().map_or(limit, String::len));
    written
}

/// Writes a reply of pml's own, or of a person.
pub(super) fn settle(reply: Reply, limit: usize, budget: &RunBudget) -> CallResult {
    match reply.and_then(|value| write_here(&value, limit, budget).map_err(not_written)) {
        Ok(json) => CallResult::Value(json),
        Err(error) => refusal(&error),
    }
}

/// Writes an error for the guest, without its data.
pub(super) fn refusal(error: &CallError) -> CallResult {
    let CallError { code, message, .. } = error;
    CallResult::Error { code: code.clone(), message: message.clone(), data: None }
}

fn not_written(error: WriteError) -> CallError {
    match error {
        WriteError::Halted(halt) => halt.into(),
        WriteError::TooLarge(limit) => {
            let message =
                format!("the answer has more than {limit} bytes of JSON, which is the limit");
            CallError::new(Code::ReplySize, message)
        }
    }
}

fn too_large(size: usize, limit: usize) -> CallError {
    let message = format!("the answer has {size} bytes of JSON, more than the limit of {limit}");
    CallError::new(Code::ReplySize, message)
}
