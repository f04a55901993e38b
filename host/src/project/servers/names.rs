//! Which tool of a server a name means.

use super::route::ambiguous;
use crate::model::ResolvedTool;
use crate::model::{CallError, Code, NameMatch, escape, meant, nearest};
use crate::upstream::{ListedTool, ServerTools};

/// Finds a tool by its name, or by another spelling of it where only one tool has that.
pub(crate) fn find<'a>(
    listing: &'a ServerTools,
    server: &str,
    name: &str,
) -> Result<&'a ListedTool, CallError> {
    if let Some(tool) = listing.get(name) {
        return Ok(tool);
    }
    let unknown = || unknown(listing, server, name);
    match meant(name, names(listing)) {
        NameMatch::One(name) => listing.get(name).ok_or_else(unknown),
        NameMatch::None => Err(unknown()),
        NameMatch::Several(names) => Err(ambiguous("tool", name, &names)),
    }
}

/// What is found of a tool.
pub(crate) fn found(tool: &ListedTool) -> ResolvedTool {
    let definition = &tool.definition;
    let mut found = ResolvedTool::new(definition.tool.clone(), definition.effects());
    found.origin = Some(tool.origin.clone());
    found
}

fn names(listing: &ServerTools) -> impl Iterator<Item = &str> + Clone {
    listing.tools().iter().map(|tool| tool.definition.tool.tool())
}

fn unknown(listing: &ServerTools, server: &str, name: &str) -> CallError {
    let near = nearest(name, names(listing));
    let hint = match near.as_slice() {
        [] => format!(": `pml tools {server}` lists what there is"),
        near => {
            let near: Vec<_> = near.iter().map(|name| escape(name)).collect();
            format!(": did you mean `{}`?", near.join("` or `"))
        }
    };
    let message = format!("server `{server}` has no tool `{}`{hint}", escape(name));
    CallError::new(Code::ToolUnknown, message)
}
