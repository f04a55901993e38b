//! Selects the variables of our environment that a server gets: those that every program needs, and
//! no others.
//!
//! **Invariant:** pml runs with the keys of its client in its environment. A server gets none of
//! them, unless it is declared for that server.

use crate::config::NETWORK;
use crate::model::Secret;
use std::ffi::OsString;

/// Variables that every program gets.
const BASE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "TERM",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Variables that programs need to start on Windows.
const WINDOWS: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
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

/// Returns the part of our environment that every server gets.
#[expect(clippy::disallowed_methods, reason = "not a setting of ours: what a child inherits")]
pub(super) fn base() -> impl Iterator<Item = (&'static str, OsString)> {
    let windows = if cfg!(windows) { WINDOWS } else { &[] };
    let names = BASE.iter().chain(windows).chain(NETWORK);
    let found = names.filter_map(|name| Some((*name, std::env::var_os(name)?)));
    // The password of a proxy is a key, too.
    found.filter(|(name, value)| !NETWORK.contains(name) || !value.to_string_lossy().contains('@'))
}

/// Sets the environment of `command` to the base and the declared variables.
pub(super) fn set_environment(
    command: &mut tokio::process::Command,
    declared: &[(String, Secret)],
) {
    command.env_clear().envs(base());
    command.envs(declared.iter().map(|(name, value)| (name, value.reveal())));
}
