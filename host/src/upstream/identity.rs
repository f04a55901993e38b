//! The identity of a server, independent of what it reports.

use crate::config::ServerConfig;
use crate::model::ToolOrigin;
use std::sync::Arc;

/// The digest of a server's launch line or URL as written, and that of the package that it was
/// started from.
#[derive(Clone, Debug)]
pub(super) struct ServerIdentity {
    pub(super) server: Arc<str>,
    package: Option<Arc<str>>,
}

impl ServerIdentity {
    pub(super) fn of(config: &ServerConfig) -> ServerIdentity {
        let package = config.package.as_deref().map(Into::into);
        ServerIdentity { server: config.identity.as_str().into(), package }
    }

    /// Returns the origin of one of its tools.
    pub(super) fn origin(&self, definition: String) -> ToolOrigin {
        ToolOrigin::new(definition, self.server.clone()).with_package(self.package.clone())
    }
}

#[cfg(test)]
impl From<&str> for ServerIdentity {
    fn from(server: &str) -> ServerIdentity {
        ServerIdentity { server: server.into(), package: None }
    }
}
