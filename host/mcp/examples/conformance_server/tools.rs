//! Tools that do something: they write to the log, report progress, ask the client, or change a
//! list.

use super::catalogue::{ToolFixture, filled};
use super::shared::{Change, Shared};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ContentBlock, JsonObject,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ServerRequest,
};
use rmcp::{ErrorData, RoleServer, service::RequestContext};
use serde_json::{Value, json};

type Context = RequestContext<RoleServer>;

/// Carries out a call of `fixture`.
pub(crate) async fn act(
    fixture: &ToolFixture,
    request: CallToolRequestParams,
    shared: &Shared,
    context: &Context,
) -> Result<CallToolResult, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    if let Some(elicitation) = &fixture.elicitation {
        let params = filled(elicitation, &arguments);
        return ask(json!({ "method": "elicitation/create", "params": params }), context).await;
    }
    match &*fixture.tool.name {
        "test_tool_with_logging" | "test_logging_tool" => log(context).await,
        "test_tool_with_progress" => progress(context).await,
        "test_sampling" => return sample(&arguments, context).await,
        "test_missing_capability" => require_sampling(context)?,
        "test_trigger_tool_change" => drop(shared.changes.send(Change::Tools)),
        "test_trigger_prompt_change" => drop(shared.changes.send(Change::Prompts)),
        _ => {}
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("done")]))
}

/// Sends three lines to the client's log. In newer revisions, a client gets them only if this
/// request asks for a log.
async fn log(context: &Context) {
    let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
    if modern && context.meta.log_level().is_none() {
        return;
    }
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let line = LoggingMessageNotificationParam::new(LoggingLevel::Info, line.into());
        // A client that is gone needs no log.
        let _ = context.peer.notify_logging_message(line).await;
    }
}

async fn progress(context: &Context) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for done in [0.0, 50.0, 100.0] {
        let params = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        let _ = context.peer.notify_progress(params).await;
    }
}

async fn sample(arguments: &JsonObject, context: &Context) -> Result<CallToolResult, ErrorData> {
    require_sampling(context)?;
    let message =
        json!({ "role": "user", "content": { "type": "text", "text": arguments["prompt"] } });
    let params = json!({ "messages": [message], "maxTokens": 100 });
    ask(json!({ "method": "sampling/createMessage", "params": params }), context).await
}

fn require_sampling(context: &Context) -> Result<(), ErrorData> {
    match context.client_capabilities().is_some_and(|declared| declared.sampling.is_some()) {
        true => Ok(()),
        false => Err(ErrorData::missing_required_client_capability(
            ClientCapabilities::builder().enable_sampling().build(),
        )),
    }
}

/// Sends a request to the client, and answers with the reply.
async fn ask(request: Value, context: &Context) -> Result<CallToolResult, ErrorData> {
    let request: ServerRequest = serde_json::from_value(request).map_err(internal)?;
    let answer = context.peer.send_request(request).await.map_err(internal)?;
    let answer = serde_json::to_string(&answer).map_err(internal)?;
    Ok(CallToolResult::success(vec![ContentBlock::text(format!("The client said: {answer}"))]))
}

pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
