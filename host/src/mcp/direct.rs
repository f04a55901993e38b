//! `server:tool` called by its name: a program of one call, under the same policy and journal as any other.

use super::answer::Answer;
use super::door::Visit;
use super::execute::see_through;
use super::parameters::Continue;
use super::resume;
use crate::json::{Value, json};
use crate::{Script, ToolName};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use rmcp::service::{RequestContext, RoleServer};

/// The program: the call is data, so that no name or argument can be code.
const PROGRAM: &str = "return await mcp.call(inputs.tool, inputs.arguments)";

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
    let script = Script::ts(PROGRAM).named(format!("{tool}.ts"));
    let inputs = json!({ "tool": tool, "arguments": Value::Object(arguments) });
    see_through(visit, visit.engine.run(script).inputs(inputs), context).await
}
