//! Saved workflows. None can be saved yet: the tools for them say so in their final format.

use super::answer::ToolAnswer;
use super::parameters::{
    DescribeWorkflowParameters, ListLibraryParameters, SaveToLibraryParameters,
};
use pml::json::{Value, json};
use pml::{Code, run::ErrorReport};

/// The name of a workflow or a draft, as a client gave it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WorkflowName {
    /// A plain name.
    Plain(String),
    /// A name that would lead out of its folder.
    Unsafe,
}

impl WorkflowName {
    /// Checks a name: it must not refer to a file other than its own.
    pub(super) fn of(name: &str) -> WorkflowName {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        let safe = !name.is_empty()
            && name.len() <= 128
            && name.chars().all(plain)
            && !name.starts_with('.')
            && !name.contains("..");
        if safe { WorkflowName::Plain(name.into()) } else { WorkflowName::Unsafe }
    }
}

/// Returns the answer for a name without a saved workflow.
pub(super) fn missing(name: &WorkflowName) -> ToolAnswer {
    match name {
        WorkflowName::Unsafe => {
            let message = "a name has no path in it: letters, digits, `-`, `_` and `.` only";
            let mut error = ErrorReport::new(Code::Security, message);
            error.error_type = "SecurityError".into();
            ToolAnswer::error(&error)
        }
        WorkflowName::Plain(name) => not_found(format!("there is no workflow `{name}`")),
    }
}

/// Returns the answer for a file that does not exist, with those that do.
fn not_found(message: String) -> ToolAnswer {
    let mut error = ErrorReport::new(Code::WorkflowUnknown, message);
    error.error_type = "FileNotFoundError".into();
    let mut answer = ToolAnswer::error(&error);
    answer.body["error"]["available"] = json!(available());
    answer
}

fn available() -> Vec<Value> {
    Vec::new()
}

/// `list_library`.
pub(super) fn list(parameters: &ListLibraryParameters) -> Value {
    let _ = &parameters.pattern;
    json!({ "workflows": available() })
}

/// `describe_workflow`.
pub(super) fn describe(parameters: &DescribeWorkflowParameters) -> ToolAnswer {
    missing(&WorkflowName::of(&parameters.name))
}

/// `save_to_library`.
pub(super) fn save(parameters: &SaveToLibraryParameters) -> ToolAnswer {
    let (draft, saved) =
        (WorkflowName::of(&parameters.draft_name), WorkflowName::of(&parameters.final_name));
    let _ = &parameters.description;
    match (draft, saved) {
        (WorkflowName::Plain(draft), WorkflowName::Plain(_)) => {
            not_found(format!("there is no draft `{draft}`"))
        }
        _ => missing(&WorkflowName::Unsafe),
    }
}

#[cfg(test)]
mod tests {
    use super::WorkflowName;

    #[test]
    fn a_name_cannot_lead_out_of_its_folder() {
        for name in ["../etc", "/etc/passwd", "a/b", "a\\b", "..", ".hidden", "", "a\0b", "a..b"] {
            assert_eq!(WorkflowName::of(name), WorkflowName::Unsafe, "{name:?}");
        }
        for name in ["report", "pr-analyzer", "a_b.c", "été 2"] {
            assert_eq!(WorkflowName::of(name), WorkflowName::Plain(name.into()));
        }
    }
}
