//! The parameters of `browse_components`.

use super::read::{Parameter, ParameterType};
use serde::Deserialize;

/// The parameters of `browse_components`.
#[derive(Debug, Deserialize)]
pub(crate) struct BrowseParameters {
    #[serde(default)]
    pub(crate) query: String,
    #[serde(default = "yes")]
    pub(crate) include_workflows: bool,
    pub(crate) budget: Option<usize>,
}

impl BrowseParameters {
    pub(crate) const KNOWN: &[Parameter] = &[
        Parameter::optional("query", ParameterType::Text),
        Parameter::optional("budget", ParameterType::Number),
        Parameter::optional("include_workflows", ParameterType::Flag),
    ];
}

fn yes() -> bool {
    true
}
