//! Which servers of a project were used: noted once a process, in the project's own folder.

use crate::config::{Project, ProjectState, ServerConfig};
use crate::model::{Clock, SystemClock};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Notes the use of servers.
pub(super) struct Usage {
    state: ProjectState,
    /// Launch line and identity of those not noted yet.
    unused: Mutex<HashMap<String, (String, String)>>,
}

impl Usage {
    /// Nothing was used yet.
    pub(super) fn of(project: &Project) -> Usage {
        let local = project.servers.iter().filter(|server| server.is_local());
        let unused = local.map(|ServerConfig { name, identity, .. }| {
            let declared = project.declared_server(name);
            let launch = declared.map_or_else(String::new, |declared| declared.launch.clone());
            (name.clone(), (launch, identity.clone()))
        });
        Usage {
            state: ProjectState::at(project.state_folder()),
            unused: Mutex::new(unused.collect()),
        }
    }

    /// Notes that a server was used, on a thread of its own: nobody waits for it.
    pub(super) fn note(&self, server: &str) {
        let unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner).remove(server);
        let Some((launch, identity)) = unused else { return };
        let (state, server) = (self.state.clone(), server.to_owned());
        tokio::task::spawn_blocking(move || {
            // What cannot be noted, as in a folder that only can be read, is no reason to refuse a call.
            let _ = state.server_used(&server, &launch, &identity, SystemClock.now());
        });
    }
}
