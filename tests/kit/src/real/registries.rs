//! Registries as `pml` itself reaches them: it installs packages on its own, with the tools and the
//! settings of this machine.

use super::install::cache;
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// A small MCP server on npm, in an exact version: it has the tools `echo`, `add` and `debug`.
pub const SMALL: &str = "mcp-hello-world@1.1.2";

/// A small one on PyPI, with the tool `calculate`.
pub const FEW: &str = "mcp-server-calculator==0.2.1";

/// Lets a command that runs in an environment of its own reach npm and PyPI: it gets `PATH`, this
/// machine's settings of both, and caches that all tests share.
#[expect(clippy::disallowed_methods, reason = "what this machine says of its registries")]
pub fn registries(command: &mut Command) -> &mut Command {
    let own = |name: &str| {
        name == "PATH"
            || ["npm_config_", "NPM_CONFIG_", "PIP_", "NODE_EXTRA_", "SSL_"]
                .iter()
                .any(|start| name.starts_with(start))
            || name.to_ascii_lowercase().ends_with("_proxy")
    };
    command.envs(env::vars().filter(|(name, _)| own(name)));
    let settings = env::var_os("HOME").map(|home| PathBuf::from(home).join(".npmrc"));
    if let Some(settings) = settings.filter(|settings| settings.is_file()) {
        command.env("npm_config_userconfig", settings);
    }
    command.env("npm_config_cache", cache().join("npm")).env("PIP_CACHE_DIR", cache().join("pip"))
}
