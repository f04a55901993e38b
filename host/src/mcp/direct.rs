//! `server:tool` called by its name: a program of one call, under the same policy and journal as any other.

use super::answer::Answer;
use super::door::Visit;
use super::execute::see_through;
use super::parameters::Continue;
use super::resume;
use crate::ToolName;
use crate::json::Value;
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};

/// Calls one tool.
pub(super) async fn call(
    visit: &Visit,
    tool: &ToolName,
    arguments: JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    if let Some(answer) = Continue::among(&arguments)? {
        return resume::go_on(visit, answer, context).await;
    }
    see_through(visit, visit.engine.call(tool, Value::Object(arguments)), context).await
}
