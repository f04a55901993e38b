//! Determines which variables decide something: `.env` sets those only with their trusted values.
//!
//! A variable decides if it controls what a program loads, by its own name or by the name under
//! which the server gets it, or if the settings have a default for it: setting it then overrides
//! the settings. All others are keys and similar values, which `.env` is for.

use super::VARIABLE;
use crate::model::{Secret, steers_loading};
use crate::project::server_entry::ServerEntry;
use crate::project::trust::digest_of;
use std::collections::{BTreeMap, BTreeSet};

/// The role of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::project) struct VariableRole {
    /// Whether it controls what is loaded.
    pub(in crate::project) steers_loading: bool,
    /// Whether it overrides a default.
    pub(in crate::project) overrides_default: bool,
    /// The recipients: `server: NAME`.
    pub(in crate::project) given_to: Vec<String>,
}

impl VariableRole {
    /// Returns the name of a variable in the manifest, and the digest of its value in `.env`.
    pub(in crate::project) fn item(name: &str, value: &Secret) -> (String, String) {
        let name = format!("{VARIABLE}{name}");
        let digest = digest_of(&name, value.reveal().as_bytes());
        (name, digest)
    }
}

/// Returns the variables that decide something and that `.env` could set, by name.
pub(in crate::project) fn deciding_variables(
    entries: &[ServerEntry],
) -> BTreeMap<String, VariableRole> {
    let mut defaults = BTreeSet::new();
    for template in entries.iter().flat_map(ServerEntry::templates) {
        let named = template.variables().filter(|(_, default)| *default);
        defaults.extend(named.map(|(name, _)| name.to_owned()));
    }
    let mut roles: BTreeMap<String, VariableRole> = BTreeMap::new();
    for entry in entries {
        for (key, template) in entry.given_templates() {
            for (name, _) in template.variables() {
                let loading = steers_loading(name) || steers_loading(key);
                let default = defaults.contains(name);
                if loading || default {
                    let role = roles.entry(name.to_owned()).or_default();
                    role.steers_loading |= loading;
                    role.overrides_default |= default;
                    let given = format!("{}: {key}", entry.declared.name);
                    if !role.given_to.contains(&given) {
                        role.given_to.push(given);
                    }
                }
            }
        }
    }
    roles
}
