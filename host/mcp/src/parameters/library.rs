//! The parameters of the tools for saved workflows.

use super::read::{Parameter, ParameterType};
use serde::Deserialize;

/// The parameters of `list_library`.
#[derive(Debug, Deserialize)]
pub(crate) struct ListLibraryParameters {
    pub(crate) pattern: Option<String>,
}

/// The parameters of `describe_workflow`.
#[derive(Debug, Deserialize)]
pub(crate) struct DescribeWorkflowParameters {
    pub(crate) name: String,
}

/// The parameters of `save_to_library`.
#[derive(Debug, Deserialize)]
pub(crate) struct SaveToLibraryParameters {
    pub(crate) draft_name: String,
    pub(crate) final_name: String,
    pub(crate) description: String,
}

impl ListLibraryParameters {
    pub(crate) const KNOWN: &[Parameter] = &[Parameter::optional("pattern", ParameterType::Text)];
}

impl DescribeWorkflowParameters {
    pub(crate) const KNOWN: &[Parameter] = &[Parameter::required("name", ParameterType::Text)];
}

impl SaveToLibraryParameters {
    pub(crate) const KNOWN: &[Parameter] = &[
        Parameter::required("draft_name", ParameterType::Text),
        Parameter::required("final_name", ParameterType::Text),
        Parameter::required("description", ParameterType::Text),
    ];
}
