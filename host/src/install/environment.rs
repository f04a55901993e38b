//! What a package manager gets of our environment: how to find its way, its own settings, and how to reach its registry.
//!
//! **Invariant:** a client hands us its own keys. None of them reaches a package manager unless it is one of the package manager's.

use crate::config::{Environment, NETWORK};
use crate::model::Secret;

/// Variables that any tool may need.
const BASE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_BIN_HOME",
    "NETRC",
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Beginnings of the names of the tools' own settings. `PYTHON*` and `NODE_OPTIONS` are none: they load code.
const OWN: &[&str] = &["NPM_CONFIG_", "PIP_", "UV_", "PYENV_"];

/// Settings that would have a tool do something else than what it is told, and cannot be overruled by a flag.
const NOT: &[&str] = &[
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_USER",
    "PIP_PYTHON",
    "PIP_NO_BINARY",
    "PIP_DRY_RUN",
    "PIP_REPORT",
    "PIP_REQUIREMENT",
    "PIP_EDITABLE",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_REQUIRE_HASHES",
    "PIP_NO_DEPS",
    "PIP_LOG",
    "PIP_QUIET",
    "PIP_VERBOSE",
    "PIP_NO_COMPILE",
    "PIP_SRC",
    "PIP_DEST",
    "UV_PROJECT",
    "UV_PROJECT_ENVIRONMENT",
    "UV_WORKING_DIRECTORY",
    "UV_WORKING_DIR",
    "UV_SYSTEM_PYTHON",
    "UV_NO_BINARY",
    "UV_NO_BINARY_PACKAGE",
    "UV_REQUIRE_HASHES",
    "UV_NO_VERIFY_HASHES",
    "UV_ENV_FILE",
    "UV_PYTHON",
    "UV_LINK_MODE",
    "UV_VENV_SEED",
    "UV_VENV_CLEAR",
];

/// Returns the variables that a package manager gets.
pub(super) fn scrubbed(environment: &Environment) -> Vec<(String, Secret)> {
    environment.pick(|name| {
        let upper = name.to_ascii_uppercase();
        let own =
            OWN.iter().any(|start| upper.starts_with(start)) && !NOT.contains(&upper.as_str());
        BASE.contains(&name) || NETWORK.contains(&name) || own
    })
}

#[cfg(test)]
mod tests {
    use super::scrubbed;
    use crate::config::Environment;

    #[test]
    fn keys_of_others_and_what_loads_code_stay_here() {
        let given = [
            ("PATH", "/bin"),
            ("GITHUB_TOKEN", "hunter2"),
            ("NODE_OPTIONS", "--require x"),
            ("PYTHONPATH", "/x"),
            ("npm_config_registry", "https://mirror"),
            ("NPM_CONFIG_//host/:_authToken", "key"),
            ("PIP_INDEX_URL", "https://mirror"),
            ("PIP_TARGET", "/x"),
            ("UV_DEFAULT_INDEX", "https://mirror"),
            ("https_proxy", "http://me:key@proxy"),
        ];
        let environment: Environment = given.into_iter().collect();
        let names: Vec<_> = scrubbed(&environment).into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "NPM_CONFIG_//host/:_authToken",
                "PATH",
                "PIP_INDEX_URL",
                "UV_DEFAULT_INDEX",
                "https_proxy",
                "npm_config_registry"
            ]
        );
    }
}
