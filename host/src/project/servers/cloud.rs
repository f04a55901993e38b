//! The connection to the cloud: one server that has the tools of many.

use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::model::{CallError, CallProgressSink, Clock, RunBudget, Secret, ToolName};
use crate::project::Cloud;
use crate::upstream::Upstreams;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The internal name of the cloud's connection. No program can call it by that name.
const CLOUD: &str = "cloud";

/// The connection to the cloud of a project.
pub(crate) struct CloudConnection(Upstreams);

impl CloudConnection {
    /// Returns the connection to a cloud. It is opened with the first call.
    ///
    /// # Errors
    /// If its URL is not valid.
    pub(super) fn new(cloud: &Cloud, clock: Arc<dyn Clock>) -> Result<CloudConnection, Error> {
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
        progress: Option<CallProgressSink>,
        budget: &RunBudget,
    ) -> Result<String, CallError> {
        self.0.call(CLOUD, tool.as_str(), arguments, progress, budget).await
    }

    pub(super) fn upstreams(&self) -> &Upstreams {
        &self.0
    }
}
