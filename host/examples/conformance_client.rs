//! A client for the official conformance suite, which starts it with the address of a server of its own and looks at what
//! arrives there. For the tests only; `tests/it/conformance.rs` runs the suite.
//!
//! It does the same whatever the scenario: connects, lists the tools, and calls each with the arguments that the suite names,
//! or with some that fit its schema.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, JsonObject, ProtocolVersion, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the suite tells a client about its scenario.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Told {
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: JsonObject,
}

/// A client whose user accepts whatever is asked, as it stands.
struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("pml", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let schema = serde_json::to_value(&request).unwrap_or_default();
        let properties = schema["requestedSchema"]["properties"].as_object().cloned();
        let given = properties.unwrap_or_default().into_iter().filter_map(|(name, property)| {
            property.get("default").map(|default| (name, default.clone()))
        });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(given.collect()))
    }
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::disallowed_methods, reason = "how the suite tells its client what to do")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    rustls::crypto::ring::default_provider().install_default().map_err(|_| "two providers")?;
    let url = std::env::args().next_back().ok_or("the address is missing")?;
    let told: Told = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Told::default(),
    };
    let modern = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")
        .is_ok_and(|version| version == ProtocolVersion::V_2026_07_28.as_str());
    let lifecycle = match modern {
        true => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        false => ClientLifecycleMode::Initialize,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = Client.serve_with_lifecycle(transport, lifecycle).await?;
    for tool in client.list_all_tools().await? {
        for arguments in calls_of(&tool, &told) {
            let request = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
            client.call_tool(request).await?;
        }
    }
    client.cancel().await?;
    Ok(())
}

/// What to call a tool with.
fn calls_of(tool: &Tool, told: &Told) -> Vec<JsonObject> {
    let named = told.tool_calls.iter().filter(|call| tool.name == call.name);
    let named: Vec<_> = named.map(|call| call.arguments.clone()).collect();
    match named.is_empty() {
        true => vec![fitting(&tool.input_schema)],
        false => named,
    }
}

/// The simplest arguments with what a schema requires.
fn fitting(schema: &JsonObject) -> JsonObject {
    let property = |name: &Value| schema.get("properties")?.get(name.as_str()?).cloned();
    let value = |name: &Value| match property(name).unwrap_or_default()["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        _ => json!("x"),
    };
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let pair = |name: &Value| Some((name.as_str()?.to_owned(), value(name)));
    required.iter().filter_map(pair).collect()
}
