//! The fake server (`tests/kit/fakes/fake_server.py`), and an [`Upstreams`] with one server.

use crate::config::{Launch, ServerConfig};
use crate::model::{Secret, SystemClock};
use crate::store::ServerCache;
use crate::upstream::Upstreams;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the fake server in one of its modes.
pub(super) fn fake(mode: &str) -> ServerConfig {
    let script = project().join("tests/kit/fakes/fake_server.py");
    let arguments = ["-u", script.to_str().expect("UTF-8"), mode];
    ServerConfig::stdio("fake", "python3", arguments, project()).expect("a server")
}

pub(super) fn project() -> PathBuf {
    let host = Path::new(env!("CARGO_MANIFEST_DIR"));
    host.parent().expect("the workspace").to_owned()
}

/// Adds an argument to a server's launch line.
pub(super) fn with_argument(mut config: ServerConfig, argument: &Path) -> ServerConfig {
    if let Launch::Stdio { arguments, .. } = &mut config.launch {
        arguments.push(argument.to_str().expect("UTF-8").into());
    }
    config
}

pub(super) fn with_variable(mut config: ServerConfig, name: &str, value: &str) -> ServerConfig {
    if let Launch::Stdio { environment, .. } = &mut config.launch {
        environment.push((name.into(), Secret::new(value)));
    }
    config
}

pub(super) fn upstreams(config: ServerConfig) -> Upstreams {
    Upstreams::new(vec![config], None, Arc::new(SystemClock))
}

pub(super) fn with_cache(config: ServerConfig, folder: &Path) -> Upstreams {
    Upstreams::new(vec![config], Some(ServerCache::open(folder)), Arc::new(SystemClock))
}
