//! What a server is, apart from what it says.

use crate::config::ServerConfig;
use crate::model::Origin;
use std::sync::Arc;

/// Its launch line or URL as written, and the package that it was started from.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) server: Arc<str>,
    package: Option<Arc<str>>,
}

impl Identity {
    pub(super) fn of(config: &ServerConfig) -> Identity {
        let package = config.package.as_deref().map(Into::into);
        Identity { server: config.identity.as_str().into(), package }
    }

    /// The origin of one of its tools.
    pub(super) fn origin(&self, definition: String) -> Origin {
        Origin::new(definition, self.server.clone()).with_package(self.package.clone())
    }
}

#[cfg(test)]
impl From<&str> for Identity {
    fn from(server: &str) -> Identity {
        Identity { server: server.into(), package: None }
    }
}
