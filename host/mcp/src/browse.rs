//! `browse_components`: searches the tools that programs can call. The best matches come first, up
//! to a budget.

use super::parameters::BrowseParameters;
use crate::server::RequestScope;
use pml::json::{Value, json};
use pml::{
    Policy,
    catalog::{BrowsedTool, ToolIndex, browse as browse_index},
    policy::PolicyDecision,
    project::{Freshness, UnavailableServer},
    text::{cut, escape},
    tool::Definition,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Default budget of an answer, in tokens.
const DEFAULT_BUDGET: usize = 4_000;

/// Maximum budget of an answer, in tokens.
const MAX_BUDGET: usize = 50_000;

/// How long to wait in total for servers that never ran: longer than most take, shorter than
/// anybody waits. Slower servers continue to start, and are ready for a later search.
const START_TIMEOUT: Duration = Duration::from_secs(5);

/// Approximate characters of a token.
const TOKEN: usize = 4;

/// Maximum number of characters of a server's name.
const MAX_NAME: usize = 64;

/// Maximum number of characters of a reason or a condition.
const MAX_REASON: usize = 300;

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
    let budget = parameters.budget.unwrap_or(DEFAULT_BUDGET).min(MAX_BUDGET);
    let unavailable = unavailable(&offer.unavailable, budget * TOKEN / 4);
    let spent: usize = unavailable.iter().map(|server| server.to_string().len()).sum();
    let browsed = browse_index(
        &index,
        &parameters.query,
        budget.saturating_sub(spent / TOKEN),
        servers.observed(),
    );
    let nodes: Vec<Value> =
        browsed.nodes.iter().map(|shown| node(shown, scope.engine.policy())).collect();
    let mut answer = json!({ "nodes": nodes, "coverage": browsed.coverage() });
    if parameters.include_workflows {
        answer["workflows"] = json!([]);
    }
    if !unavailable.is_empty() {
        answer["unavailable"] = unavailable.into();
    }
    answer
}

/// Describes a tool, with the policy's decision on it. Of a tool that is denied, only the name is
/// worth the space.
fn node(node: &BrowsedTool, policy: &Policy) -> Value {
    let decision = match policy.decision(&node.tool) {
        PolicyDecision::Deny { .. } => "deny",
        PolicyDecision::Ask { .. } => "ask",
        _ => "allow",
    };
    let mut value = json!({ "type": node.tool, "policy": decision });
    if decision == "deny" {
        return value;
    }
    if let Some(condition) = policy.grant_conditions(&node.tool) {
        value["condition"] = cut(&escape(&condition), MAX_REASON).into();
    }
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
    value
}

/// Describes the servers that cannot be used, in at most about `room` characters.
fn unavailable(servers: &[UnavailableServer], room: usize) -> Vec<Value> {
    let (mut shown, mut size) = (Vec::new(), 0);
    for server in servers {
        let mut value = json!({
            "server": cut(&escape(&server.server), MAX_NAME),
            "code": server.code,
            "reason": cut(&escape(&server.reason), MAX_REASON),
        });
        if let Some(hint) = &server.hint {
            value["hint"] = cut(&escape(hint), MAX_REASON).into();
        }
        size += value.to_string().len();
        if size > room && !shown.is_empty() {
            break;
        }
        shown.push(value);
    }
    let left = servers.len() - shown.len();
    if left > 0 {
        shown.push(json!({ "reason": format!("{left} more servers: `pml doctor` lists them") }));
    }
    shown
}
