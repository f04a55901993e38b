//! `browse_components`: searches the tools that programs can call. The best matches come first, up
//! to a budget.

use super::parameters::BrowseParameters;
use crate::server::RequestScope;
use pml::json::{Value, json};
use pml::{
    ToolName,
    catalog::{BrowsedTool, ToolIndex, browse as browse_index},
    project::Freshness,
    tool::Definition,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Default budget of an answer, in tokens.
const DEFAULT_BUDGET: usize = 4_000;

/// Maximum budget of an answer, in tokens.
const MAX_BUDGET: usize = 50_000;

/// How long to wait in total for servers that never ran: longer than most take, shorter than
/// anybody waits. Slower servers continue to start, and are ready for a later search.
const START_TIMEOUT: Duration = Duration::from_secs(5);

/// Parameters of a tool that are listed one by one.
const MAX_INPUTS: usize = 16;

/// Caches the index over the last listings of the servers: it takes longer to build than to use.
#[derive(Default)]
pub(super) struct ToolIndexCache {
    last: Mutex<CachedIndex>,
}

#[derive(Default)]
struct CachedIndex {
    definitions: Vec<Arc<Definition>>,
    index: Option<Arc<ToolIndex>>,
}

impl ToolIndexCache {
    fn index(&self, definitions: &[Arc<Definition>]) -> Arc<ToolIndex> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let same = last.definitions.len() == definitions.len()
            && last.definitions.iter().zip(definitions).all(|(one, other)| Arc::ptr_eq(one, other));
        if let Some(index) = last.index.as_ref().filter(|_| same) {
            return index.clone();
        }
        let index = Arc::new(ToolIndex::new(definitions.iter().cloned()));
        *last = CachedIndex { definitions: definitions.to_vec(), index: Some(index.clone()) };
        index
    }
}

/// Searches for tools.
pub(super) async fn browse(scope: &RequestScope, parameters: &BrowseParameters) -> Value {
    let servers = &scope.servers;
    let offer = servers.query_tools(|_| true, Freshness::CachedOrLive, START_TIMEOUT).await;
    let index = scope.server.tool_index.index(&offer.definitions);
    // A third of the budget is reserved for the lists of parameters and for separators.
    let budget = parameters.budget.unwrap_or(DEFAULT_BUDGET).min(MAX_BUDGET) * 2 / 3;
    let browsed = browse_index(&index, &parameters.query, budget, servers.observed());
    let definitions: HashMap<&ToolName, &Definition> =
        offer.definitions.iter().map(|definition| (&definition.tool, &**definition)).collect();
    let shown = browsed.nodes.iter();
    let nodes: Vec<Value> =
        shown.map(|shown| node(shown, definitions.get(&shown.tool).copied())).collect();
    let mut answer = json!({ "nodes": nodes, "coverage": browsed.coverage() });
    if parameters.include_workflows {
        answer["workflows"] = json!([]);
    }
    if !offer.unavailable.is_empty() {
        answer["unavailable"] = json!(offer.unavailable);
    }
    answer
}

fn node(node: &BrowsedTool, definition: Option<&Definition>) -> Value {
    let mut value = json!({ "type": node.tool, "server": node.tool.server() });
    if let Some(signature) = &node.signature {
        value["signature"] = signature.as_str().into();
    }
    if !node.description.is_empty() {
        value["description"] = node.description.as_str().into();
    }
    let effects = match (node.annotations.read_only_hint, node.annotations.destructive_hint) {
        (Some(true), _) => Some("read-only"),
        (_, Some(true)) => Some("may destroy"),
        _ => None,
    };
    if let Some(effects) = effects {
        value["effects"] = effects.into();
    }
    if let (Some(definition), Some(_)) = (definition, &node.signature) {
        value["inputs"] = inputs(&definition.input);
    }
    value
}

/// Returns the top-level parameters of a schema.
fn inputs(schema: &Value) -> Value {
    let required = |key: &str| {
        let required = schema["required"].as_array();
        required.is_some_and(|keys| keys.iter().any(|it| it == key))
    };
    let properties = schema["properties"].as_object().into_iter().flatten().take(MAX_INPUTS);
    let inputs = properties.map(|(key, property)| {
        let kind = match property.get("type") {
            Some(Value::String(kind)) => pml::text::cut(kind, 16),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str).take(4);
                pml::text::cut(&kinds.collect::<Vec<_>>().join(" | "), 40)
            }
            _ => "any".into(),
        };
        json!({ "key": pml::text::cut(&pml::text::escape(key), 64), "type": kind, "required": required(key) })
    });
    inputs.collect()
}
