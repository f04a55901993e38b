//! Records which servers of a project were used, once per process, in the project's own folder.
//!
//! **Invariant:** secrets in a launch line are not recorded.

use crate::model::{Clock, Redactor, SystemClock};
use crate::{config::ServerConfig, project::Project, store::ProjectState};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Records the use of servers.
pub(crate) struct ServerUsageRecorder {
    state: ProjectState,
    /// The launch line and identity of each server that is not recorded yet.
    unused: Mutex<HashMap<String, (String, String)>>,
}

impl ServerUsageRecorder {
    /// Returns a recorder for the servers of a project.
    pub(crate) fn of(project: &Project) -> ServerUsageRecorder {
        let local = project.servers.iter().filter(|server| server.is_local());
        let unused = local.map(|ServerConfig { name, identity, .. }| {
            let declared = project.declared_server(name);
            let launch = declared.map_or_else(String::new, |declared| shown(&declared.launch));
            (name.clone(), (launch, identity.clone()))
        });
        ServerUsageRecorder {
            state: ProjectState::at(project.state_folder()),
            unused: Mutex::new(unused.collect()),
        }
    }

    /// Records that a server was used, on another thread: the call does not wait for it.
    pub(crate) fn note(&self, server: &str) {
        let unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner).remove(server);
        let Some((launch, identity)) = unused else { return };
        let (state, server) = (self.state.clone(), server.to_owned());
        tokio::task::spawn_blocking(move || {
            // A record that cannot be written, for example in a read-only folder, is no reason to
            // refuse a call.
            let _ = state.record_server_use(&server, &launch, &identity, SystemClock.now());
        });
    }
}

/// Returns a launch line without keys. Variables are not keys, and stay as written.
pub(crate) fn shown(launch: &str) -> String {
    Redactor::new().redact_text(launch).into_owned()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn keys_in_a_launch_line_are_not_noted_and_the_rest_is() {
        assert_eq!(
            shown("npx -y server@1.0.0 --api-key hunter22 --dsn postgres://me:hunter22@db/x"),
            "npx -y server@1.0.0 --api-key [hidden: 8 characters] --dsn postgres://me:[hidden: 8 characters]@db/x"
        );
        for plain in ["npx -y server@1.0.0 .", "x --token ${TOKEN} ${A:-b} ${", "x://me:${KEY}@db"]
        {
            assert_eq!(shown(plain), plain);
        }
        assert_eq!(
            shown("x ${A} --token=hunter22 ${B}"),
            "x ${A} --token=[hidden: 8 characters] ${B}"
        );
    }
}
