//! The routing rules that a cloud sent, cached in `.pml/routing-cache.json`: `{"etag": "…",
//! "routing": {"tavily": "server"}}`.
//!
//! **Invariant:** it is only a cache. Invalid parts of it are ignored; it never causes an error.

use super::parts::{RouteTarget, RoutingRule};
use crate::disk;
use crate::store::ProjectState;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "routing-cache.json";

/// Maximum size: enough for thousands of servers.
const SIZE: u64 = 1 << 20;

#[derive(Deserialize)]
struct RoutingCacheFile {
    #[serde(default)]
    routing: BTreeMap<String, String>,
}

/// Returns the routing rules that the project at `root` last received from its cloud.
pub(super) fn read(root: &Path) -> Vec<RoutingRule> {
    let cache = disk::read(&root.join(ProjectState::FOLDER).join(FILE), SIZE).ok();
    let cache = cache.and_then(|bytes| serde_json::from_slice::<RoutingCacheFile>(&bytes).ok());
    let routes = cache.map(|cache| cache.routing).unwrap_or_default();
    let rules = routes.into_iter().filter_map(|(name, place)| {
        let to = match place.as_str() {
            "client" | "local" => RouteTarget::Client,
            "server" => RouteTarget::Server,
            _ => return None,
        };
        let pattern = if name.contains(':') { name } else { format!("{name}:*") };
        Some(RoutingRule { pattern: pattern.parse().ok()?, to })
    });
    rules.collect()
}
