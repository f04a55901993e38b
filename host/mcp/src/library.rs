//! Saved workflows. None can be saved yet: the tools that are about them say so in the form that they will keep.

use super::answer::Answer;
use super::parameters::{Describe, List, Save};
use pml::json::{Value, json};

/// The name of a workflow or a draft, as a client gave it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Name {
    /// A plain name.
    Plain(String),
    /// A name that would lead out of its folder.
    Unsafe,
}

impl Name {
    /// Looks at a name: it must not be able to name any other file than its own.
    pub(super) fn of(name: &str) -> Name {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        let safe = !name.is_empty()
            && name.len() <= 128
            && name.chars().all(plain)
            && !name.starts_with('.')
            && !name.contains("..");
        if safe { Name::Plain(name.into()) } else { Name::Unsafe }
    }
}

/// The answer to a name that nothing was saved under.
pub(super) fn missing(name: &Name) -> Answer {
    Answer::error(match name {
        Name::Unsafe => json!({
            "code": "SECURITY",
            "type": "SecurityError",
            "message": "a name has no path in it: letters, digits, `-`, `_` and `.` only",
        }),
        Name::Plain(name) => json!({
            "code": "WORKFLOW_UNKNOWN",
            "type": "FileNotFoundError",
            "message": format!("there is no workflow `{name}`"),
            "available": available(),
        }),
    })
}

fn available() -> Vec<Value> {
    Vec::new()
}

/// `list_library`.
pub(super) fn list(asked: &List) -> Value {
    let _ = &asked.pattern;
    json!({ "workflows": available() })
}

/// `describe_workflow`.
pub(super) fn describe(asked: &Describe) -> Answer {
    missing(&Name::of(&asked.name))
}

/// `save_to_library`.
pub(super) fn save(asked: &Save) -> Answer {
    let (draft, saved) = (Name::of(&asked.draft_name), Name::of(&asked.final_name));
    let _ = &asked.description;
    match (draft, saved) {
        (Name::Plain(draft), Name::Plain(_)) => Answer::error(json!({
            "code": "WORKFLOW_UNKNOWN",
            "type": "FileNotFoundError",
            "message": format!("there is no draft `{draft}`"),
            "available": available(),
        })),
        _ => missing(&Name::Unsafe),
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_cannot_lead_out_of_its_folder() {
        for name in ["../etc", "/etc/passwd", "a/b", "a\\b", "..", ".hidden", "", "a\0b", "a..b"] {
            assert_eq!(Name::of(name), Name::Unsafe, "{name:?}");
        }
        for name in ["report", "pr-analyzer", "a_b.c", "été 2"] {
            assert_eq!(Name::of(name), Name::Plain(name.into()));
        }
    }
}
