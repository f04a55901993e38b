//! A client for the official conformance suite, which starts it with the address of a server of its
//! own and looks at what arrives there. For the tests only; `tests/it/real/conformance.rs` runs the
//! suite.
//!
//! It does the same whatever the scenario, and as any program of a user would: lists the server's
//! tools, and calls each with the arguments that the suite names, or with some that fit its schema.

use pml::json::{self, Value, json};
use pml::{
    Config, Engine, Script, Servers,
    project::{Freshness, ServerConfig, ToolOffer},
    tool::Definition,
};
use std::time::Duration;

/// What the suite calls its client for: it has to be done within this.
const PATIENCE: Duration = Duration::from_secs(20);

const PROGRAM: &str = "return await mcp.suite[inputs.tool](inputs.arguments)";

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::disallowed_methods, reason = "how the suite tells its client what to do")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().next_back().ok_or("the address is missing")?;
    let told: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let mut config = Config::new();
    config.allow_tool("suite:*");
    let engine = Engine::new(&config)?;
    let servers = Servers::new(vec![ServerConfig::http("suite", url)?]);
    let offer = servers.query_tools(|_| true, Freshness::Live, PATIENCE).await;
    if let Some(unavailable) = offer.unavailable.first() {
        return Err(unavailable.reason.clone().into());
    }
    let mut failed = None;
    for definition in &offer.definitions {
        for arguments in calls_of(definition, &offer, &told) {
            let inputs = json!({ "tool": definition.tool.tool(), "arguments": arguments });
            let run = engine.run(Script::ts(PROGRAM)).inputs(inputs).tools(servers.clone());
            if let Some(failure) = run.await?.failure() {
                failed = Some(format!("{}: {}", definition.tool, failure.message));
            }
        }
    }
    servers.close().await;
    match failed {
        Some(failed) => Err(failed.into()),
        None => Ok(()),
    }
}

/// What to call a tool with. What is null is left out, as a program would.
fn calls_of(definition: &Definition, offer: &ToolOffer, told: &Value) -> Vec<Value> {
    let named = told["toolCalls"].as_array().into_iter().flatten();
    let named = named.filter(|call| call["name"] == definition.tool.tool());
    let mut named: Vec<_> = named.map(|call| call["arguments"].clone()).collect();
    for arguments in named.iter_mut().filter_map(Value::as_object_mut) {
        arguments.retain(|_, value| !value.is_null());
    }
    match named.is_empty() {
        true => vec![fitting(&definition.input, &offer.definitions[0].input)],
        false => named,
    }
}

/// The simplest arguments with what a schema requires. Where it takes any object, that is `object`:
/// the suite looks at whether a schema it gave comes back whole.
fn fitting(schema: &Value, object: &Value) -> Value {
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("object") => object.clone(),
        _ => json!("x"),
    };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.map(|name| (name.to_owned(), value(name))).collect()
}
