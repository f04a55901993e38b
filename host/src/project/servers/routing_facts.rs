//! The facts that decide where calls are sent, from the last read of a project. The router has the
//! rules themselves.

use crate::project::{Project, RoutingRule};
use std::collections::{BTreeMap, BTreeSet};

/// The facts that decide where calls are sent.
pub(crate) struct RoutingFacts {
    /// The names of all configured servers.
    pub(crate) names: BTreeSet<String>,
    /// The servers that are configured but cannot be used, with the reason.
    pub(crate) unusable: BTreeMap<String, String>,
    /// The project's own routing rules, in the order written.
    pub(crate) routing: Vec<RoutingRule>,
    /// The cloud's routing rules, as last received.
    pub(crate) synced: Vec<RoutingRule>,
    /// Whether there is a cloud.
    pub(crate) cloud: bool,
    /// The reason why the project's files are not trusted, or `None`.
    pub(crate) untrusted: Option<String>,
}

impl RoutingFacts {
    /// Returns the facts about servers that are all local.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> RoutingFacts {
        let names: BTreeSet<String> = names.into_iter().collect();
        let (unusable, routing) = (BTreeMap::new(), Vec::new());
        RoutingFacts { names, unusable, routing, synced: Vec::new(), cloud: false, untrusted: None }
    }

    /// Returns the facts about a project.
    pub(crate) fn of(project: &Project) -> RoutingFacts {
        let usable = project.servers.iter().map(|server| server.name.clone());
        let unusable = project.unusable.iter();
        let all = usable.chain(unusable.clone().map(|server| server.name.clone()));
        RoutingFacts {
            unusable: unusable.map(|one| (one.name.clone(), one.reason.clone())).collect(),
            routing: project.routing.clone(),
            synced: project.synced_routing.clone(),
            cloud: project.cloud.is_some(),
            untrusted: project.trust.reason(),
            ..RoutingFacts::new(all)
        }
    }
}
