//! Selects the environment variables that a package manager gets: those that any program needs, its
//! own settings, and those for reaching its registry.
//!
//! **Invariant:** pml runs with the keys of its client in its environment. A package manager gets
//! none of them, unless it is a key of that package manager. **Invariant:** a step that does not
//! fetch gets no key of a registry, and no step gets a key for publishing.

use super::error::without_user;
use crate::config::{Environment, NETWORK};
use crate::model::Secret;

/// Environment variables, as names and values.
pub(super) type PackageToolVariables = Vec<(String, Secret)>;

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

/// Prefixes of the names of the tools' own settings. `PYTHON*` and `NODE_OPTIONS` are not among
/// them, because they load code.
const SETTING_PREFIXES: &[&str] = &["NPM_CONFIG_", "PIP_", "UV_", "PYENV_"];

/// Prefixes of the names of keys for publishing, and of settings that name a program to start. No
/// tool gets these.
const REFUSED_PREFIXES: &[&str] = &[
    "UV_PUBLISH_",
    "NPM_CONFIG_OTP",
    "NPM_CONFIG_PROVENANCE",
    "NPM_CONFIG_NODE_OPTIONS",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_GIT",
    "NPM_CONFIG_ALLOW_",
];

/// Parts of the names of settings that are keys, or files with keys.
const KEY_PARTS: &[&str] = &[
    "AUTH",
    "PASSWORD",
    "USERNAME",
    "TOKEN",
    "SECRET",
    "CREDENTIAL",
    "KEYRING",
    "CLIENT_CERT",
    "CONFIG_FILE",
    "NETRC",
];

/// Settings that would change what a tool does, and that no flag can override. No tool gets these.
const REFUSED_SETTINGS: &[&str] = &[
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
    "UV_COMPILE_BYTECODE",
];

/// Returns the variables for a step that fetches from a registry.
pub(super) fn for_fetching(environment: &Environment) -> PackageToolVariables {
    environment.pick(|name| {
        let needed = BASE.contains(&name) || NETWORK.contains(&name) || name == "NETRC";
        needed || is_setting(name)
    })
}

/// Returns the variables for a step that does not fetch: no setting of a tool, and no key.
pub(super) fn keyless(environment: &Environment) -> PackageToolVariables {
    let mut picked = environment
        .pick(|name| BASE.contains(&name) || NETWORK.contains(&name) || name.starts_with("PYENV_"));
    // The password of a proxy is a key, too.
    picked
        .retain(|(name, value)| !NETWORK.contains(&name.as_str()) || !value.reveal().contains('@'));
    picked
}

/// Returns the variables for a step that runs code of packages: settings without keys, and `home`
/// as the home folder. `home` holds no files of the user.
pub(super) fn for_scripts(environment: &Environment, home: &str) -> PackageToolVariables {
    let mut variables = keyless(environment);
    variables.retain(|(name, _)| {
        name != "HOME" && (!name.starts_with("XDG_") || name == "XDG_CACHE_HOME")
    });
    variables.push(("HOME".into(), Secret::new(home)));
    let is_python_setting = |name: &str| {
        let upper = name.to_ascii_uppercase();
        (upper.starts_with("PIP_") || upper.starts_with("UV_"))
            && is_setting(name)
            && !KEY_PARTS.iter().any(|key| upper.contains(key))
    };
    let settings = environment.pick(is_python_setting);
    variables.extend(
        settings.into_iter().map(|(name, value)| (name, Secret::new(without_user(value.reveal())))),
    );
    variables
}

/// Reports whether a variable is a setting of a package manager, and one that it may get.
fn is_setting(name: &str) -> bool {
    let upper = name.to_ascii_uppercase().replace('-', "_");
    SETTING_PREFIXES.iter().any(|start| upper.starts_with(start))
        && !REFUSED_SETTINGS.contains(&upper.as_str())
        && !REFUSED_PREFIXES.iter().any(|start| upper.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::{for_fetching, for_scripts, keyless};
    use crate::config::Environment;

    const GIVEN: &[(&str, &str)] = &[
        ("PATH", "/bin"),
        ("HOME", "/home/me"),
        ("NETRC", "/home/me/.netrc"),
        ("XDG_CONFIG_HOME", "/home/me/.config"),
        ("GITHUB_TOKEN", "hunter2"),
        ("NPM_TOKEN", "hunter2"),
        ("NODE_AUTH_TOKEN", "hunter2"),
        ("TWINE_PASSWORD", "hunter2"),
        ("NODE_OPTIONS", "--require x"),
        ("PYTHONPATH", "/x"),
        ("npm_config_registry", "https://mirror"),
        ("NPM_CONFIG_//host/:_authToken", "key"),
        ("npm_config_otp", "123456"),
        ("npm_config_git", "/x"),
        ("npm_config_allow-git", "all"),
        ("PIP_INDEX_URL", "https://me:key@mirror/simple"),
        ("PIP_KEYRING_PROVIDER", "subprocess"),
        ("PIP_TARGET", "/x"),
        ("UV_DEFAULT_INDEX", "https://mirror"),
        ("UV_INDEX_MIRROR_PASSWORD", "key"),
        ("UV_PUBLISH_TOKEN", "hunter2"),
        ("UV_COMPILE_BYTECODE", "1"),
        ("https_proxy", "http://me:key@proxy"),
        ("no_proxy", "localhost"),
    ];

    fn given() -> Environment {
        GIVEN.iter().copied().collect()
    }

    fn names(variables: super::PackageToolVariables) -> Vec<String> {
        variables.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn what_fetches_gets_its_registrys_keys_and_no_others() {
        assert_eq!(
            names(for_fetching(&given())),
            [
                "HOME",
                "NETRC",
                "NPM_CONFIG_//host/:_authToken",
                "PATH",
                "PIP_INDEX_URL",
                "PIP_KEYRING_PROVIDER",
                "UV_DEFAULT_INDEX",
                "UV_INDEX_MIRROR_PASSWORD",
                "XDG_CONFIG_HOME",
                "https_proxy",
                "no_proxy",
                "npm_config_registry",
            ]
        );
    }

    #[test]
    fn what_fetches_nothing_gets_no_key_at_all() {
        assert_eq!(names(keyless(&given())), ["HOME", "PATH", "XDG_CONFIG_HOME", "no_proxy"]);
    }

    #[test]
    fn what_runs_code_of_packages_gets_an_index_without_its_key_and_another_home() {
        let variables = for_scripts(&given(), "/elsewhere");
        let shown: Vec<_> =
            variables.iter().map(|(name, value)| format!("{name}={}", value.reveal())).collect();
        assert_eq!(
            shown,
            [
                "PATH=/bin",
                "no_proxy=localhost",
                "HOME=/elsewhere",
                "PIP_INDEX_URL=https://mirror/simple",
                "UV_DEFAULT_INDEX=https://mirror",
            ]
        );
    }
}
