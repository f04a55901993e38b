//! Where code of packages may run while they are installed: another home, and no key.
//!
//! Building is no step of its own: to know what a package depends on that has no wheel, its code is run. So what builds fetches as
//! well, and does that without keys: an index that needs one has to have wheels.

use super::super::environment::{ToolVariables, for_scripts};
use super::super::error::InstallError;
use super::super::place::Scratch;
use super::super::spec::{Scripts, Spec};
use super::super::tool::Tool;
use crate::config::Environment;
use std::path::Path;

/// The variables of what builds packages. They hold while it lives.
pub(super) struct Building {
    _scratch: Scratch,
    variables: ToolVariables,
}

impl Building {
    /// Returns what building needs, where it is allowed. `home` is the user's own folder.
    pub(super) fn of(
        spec: &Spec,
        environment: &Environment,
        home: &Path,
    ) -> Result<Option<Building>, InstallError> {
        if spec.scripts() == Scripts::Refused {
            return Ok(None);
        }
        let scratch = Scratch::new(home)?;
        let elsewhere = scratch.home(environment)?;
        let variables = for_scripts(environment, &elsewhere.to_string_lossy());
        Ok(Some(Building { _scratch: scratch, variables }))
    }

    /// Returns the tool with the variables of `building`, if there is any.
    pub(super) fn over<'a>(building: Option<&'a Building>, tool: Tool<'a>) -> Tool<'a> {
        match building {
            Some(building) => tool.with(&building.variables),
            None => tool,
        }
    }
}
