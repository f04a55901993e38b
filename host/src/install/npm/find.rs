//! Finds npm.

use super::super::error::InstallError;
use super::super::spec::PackageSpec;
use crate::config::Environment;
use std::path::{Path, PathBuf};

/// Returns the `npm` of the `PATH`. Relative folders on the `PATH` are ignored, since it is not
/// known what they are relative to.
pub(in super::super) fn find(
    environment: &Environment,
    spec: &PackageSpec,
) -> Result<PathBuf, InstallError> {
    let found = environment.program("npm", Path::new("/"), None);
    found.ok_or_else(|| InstallError::NoTool { tool: "npm".into(), package: spec.written() })
}
