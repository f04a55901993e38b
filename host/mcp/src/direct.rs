//! Calls `server:tool` by its name: as a program of one call, under the same policy and journal as
//! any other.

use super::channel::Caller;
use super::execute::start_and_answer;
use super::parameters::ContinueParameters;
use super::resume::{self, AnsweringTool};
use crate::server::RequestScope;
use pml::ToolName;
use pml::json::Value;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, JsonObject};

/// Calls one tool.
pub(super) async fn call(
    scope: &RequestScope,
    caller: &Caller<'_>,
    tool: &ToolName,
    arguments: JsonObject,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(answer) = ContinueParameters::from_arguments(&arguments)? {
        return resume::continue_run(scope, caller, AnsweringTool::Tool(tool), answer).await;
    }
    start_and_answer(scope, caller, scope.engine.call(tool, Value::Object(arguments))).await
}
