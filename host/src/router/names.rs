//! Finds the tool of a server that a name means.

use crate::model::{CallError, Code, NameMatch, escape, match_name, nearest};
use crate::upstream::{ListedTool, ServerTools};

/// Finds a tool by its name, or by another spelling if exactly one tool matches it.
pub(super) fn find<'a>(
    listing: &'a ServerTools,
    server: &str,
    name: &str,
) -> Result<&'a ListedTool, CallError> {
    if let Some(tool) = listing.get(name) {
        return Ok(tool);
    }
    let unknown = || unknown(listing, server, name);
    match match_name(name, names(listing)) {
        NameMatch::One(name) => listing.get(name).ok_or_else(unknown),
        NameMatch::None => Err(unknown()),
        NameMatch::Several(names) => Err(ambiguous("tool", name, &names)),
    }
}

/// Returns the error for a spelling that matches more than one name.
pub(super) fn ambiguous(what: &str, spelling: &str, names: &[&str]) -> CallError {
    let message =
        format!("`{}` can mean more than one {what}: `{}`", escape(spelling), names.join("` or `"));
    CallError::new(Code::ToolAmbiguous, message).with_hint("write one of these names")
}

fn names(listing: &ServerTools) -> impl Iterator<Item = &str> + Clone {
    listing.tools().iter().map(|tool| tool.definition.tool.tool())
}

fn unknown(listing: &ServerTools, server: &str, name: &str) -> CallError {
    let near = nearest(name, names(listing));
    let hint = match near.as_slice() {
        [] => format!("`pml tools {server}` lists its tools"),
        near => {
            let near: Vec<_> = near.iter().map(|name| escape(name)).collect();
            format!("did you mean `{}`?", near.join("` or `"))
        }
    };
    let message = format!("server `{server}` has no tool `{}`", escape(name));
    CallError::new(Code::ToolUnknown, message).with_hint(hint)
}
