//! The parameters of `browse_components`.

use serde::Deserialize;

/// The parameters of `browse_components`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BrowseParameters {
    #[serde(default)]
    pub(crate) query: String,
    #[serde(default = "yes")]
    pub(crate) include_workflows: bool,
    pub(crate) budget: Option<usize>,
}

fn yes() -> bool {
    true
}
