//! Which tool of a server a name means.

use super::route::ambiguous;
use crate::model::{CallError, Code, escape, fold, nearest};
use crate::router::Found;
use crate::upstream::{Listing, Tool};

/// Finds a tool by its name, or by another spelling of it where only one tool has that.
pub(super) fn find<'a>(
    listing: &'a Listing,
    server: &str,
    name: &str,
) -> Result<&'a Tool, CallError> {
    if let Some(tool) = listing.get(name) {
        return Ok(tool);
    }
    let key = fold(name);
    let named = |tool: &&Tool| fold(tool.definition.tool.tool()) == key;
    let same: Vec<&Tool> = listing.tools().iter().filter(named).collect();
    match same.as_slice() {
        [tool] => Ok(tool),
        [] => Err(unknown(listing, server, name)),
        several => {
            let names: Vec<String> =
                several.iter().map(|tool| tool.definition.tool.tool().to_owned()).collect();
            Err(ambiguous("tool", name, &names))
        }
    }
}

/// What is found of a tool.
pub(super) fn found(tool: &Tool) -> Found {
    let definition = &tool.definition;
    let mut found = Found::new(definition.tool.clone(), definition.effects());
    found.origin = Some(tool.origin.clone());
    found
}

fn unknown(listing: &Listing, server: &str, name: &str) -> CallError {
    let names = || listing.tools().iter().map(|tool| tool.definition.tool.tool());
    let near = nearest(name, names());
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
