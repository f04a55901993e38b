//! The parameters of the tools for saved workflows.

use serde::Deserialize;

/// The parameters of `list_library`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListLibraryParameters {
    pub(crate) pattern: Option<String>,
}

/// The parameters of `describe_workflow`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeWorkflowParameters {
    pub(crate) name: String,
}

/// The parameters of `save_to_library`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveToLibraryParameters {
    pub(crate) draft_name: String,
    pub(crate) final_name: String,
    pub(crate) description: String,
}
