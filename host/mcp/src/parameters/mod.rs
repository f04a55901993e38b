//! The parameters of the server's tools. They are read as a whole, or refused with JSON-RPC's
//! -32602 and a message that names the wrong one.

mod browse_components;
mod continue_workflow;
mod execute;
mod library;
mod read;

pub(super) use browse_components::BrowseParameters;
pub(super) use continue_workflow::{AskAnswer, ContinueParameters, ShownDigests, WorkflowAnswer};
pub(super) use execute::ExecuteParameters;
pub(super) use library::{
    DescribeWorkflowParameters, ListLibraryParameters, SaveToLibraryParameters,
};
pub(super) use read::{read, wrong, wrong_call};

#[cfg(test)]
mod tests;
