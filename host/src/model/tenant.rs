//! The tenant of a run.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The party that a run, its journal and its policy belong to. On a person's own machine there is
/// one: `local`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tenant(String);

impl Tenant {
    /// Returns the tenant of this name.
    pub fn new(name: impl Into<String>) -> Tenant {
        Tenant(name.into())
    }
}

impl Default for Tenant {
    fn default() -> Tenant {
        Tenant("local".into())
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
