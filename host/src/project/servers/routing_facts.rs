//! What decides where calls go, as a project last said it. The rules themselves are the router's.

use crate::project::{Project, RoutingRule};
use std::collections::{BTreeMap, BTreeSet};

/// Facts about where calls go.
pub(crate) struct RoutingFacts {
    /// Every server that is configured.
    pub(crate) names: BTreeSet<String>,
    /// The servers that are configured and cannot be used, and why.
    pub(crate) unusable: BTreeMap<String, String>,
    /// What the project says, in the order written.
    pub(crate) routing: Vec<RoutingRule>,
    /// What the cloud said last.
    pub(crate) synced: Vec<RoutingRule>,
    /// Whether there is a cloud.
    pub(crate) cloud: bool,
    /// Why the project's files do not count, if they do not.
    pub(crate) untrusted: Option<String>,
}

impl RoutingFacts {
    /// Returns the facts about servers that are all called here.
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
