//! The connection to the cloud: one server that knows the tools of many.

use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::model::{CallError, Clock, RunBudget, Secret, ToolName};
use crate::project::Cloud;
use crate::upstream::Upstreams;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The name under which the cloud is reached. No program can call it by that.
const CLOUD: &str = "cloud";

/// Reaches the cloud of a project.
pub(crate) struct CloudConnection(Upstreams);

impl CloudConnection {
    /// Returns the connection to a cloud. It is made with the first call.
    ///
    /// # Errors
    /// If its URL cannot be one.
    pub(super) fn to(cloud: &Cloud, clock: Arc<dyn Clock>) -> Result<CloudConnection, Error> {
        let mut server = ServerConfig::http(CLOUD, cloud.url.clone())?;
        if let (Some(name), None) = (&cloud.api_key_env, &cloud.api_key) {
            server.missing.push(name.clone());
        }
        if let Launch::Http { headers, .. } = &mut server.launch {
            headers.push(("X-PML-Client".into(), Secret::new("package")));
            let key = cloud.api_key.clone().map(|key| ("x-api-key".to_owned(), key));
            headers.extend(key);
        }
        Ok(CloudConnection(Upstreams::new(vec![server], None, clock)))
    }

    /// Carries out a call of a tool of one of its servers. Returns one JSON text.
    pub(crate) async fn call(
        &self,
        tool: &ToolName,
        arguments: Map<String, Value>,
        budget: &RunBudget,
    ) -> Result<String, CallError> {
        self.0.call(CLOUD, tool.as_str(), arguments, None, budget).await
    }

    pub(super) fn upstreams(&self) -> &Upstreams {
        &self.0
    }
}
