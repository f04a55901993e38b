//! Prevents npm from starting any program.
//!
//! For a dependency from git, npm starts `git`, and then npm again in the cloned folder, where a
//! `.npmrc` decides which program `git` is. Newer versions of npm have an option that refuses such
//! dependencies. The guard is loaded into npm and works with all versions.

use super::super::environment::PackageToolVariables;
use super::super::error::{InstallError, without_user};
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::{Fetching, PackageTool, PackageToolOutput};
use crate::model::{Secret, cut, describe_exit, escape};
use std::path::Path;

const GUARD: &str = include_str!("guard.cjs");

/// The prefix of the guard's messages.
const GUARD_PREFIX: &str = "pml refuses to start: ";

/// The prefix of npm's own message about a dependency that it refuses.
const NPM_PREFIX: &str = "Refusing to fetch \"";

/// Maximum length of a refused dependency in a message.
const MAX_SHOWN: usize = 200;

/// The variables of an npm that starts no program. They are valid as long as this value lives.
pub(super) struct NpmSpawnGuard {
    _scratch: ScratchFolder,
    variables: PackageToolVariables,
}

impl NpmSpawnGuard {
    /// Writes the guard into a new folder in `home`, which belongs to the user.
    pub(super) fn new(tool: &PackageTool<'_>, home: &Path) -> Result<NpmSpawnGuard, InstallError> {
        let scratch = ScratchFolder::new(home)?;
        let path = scratch.write("guard.cjs", GUARD)?;
        let path = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let mut variables = tool.variables.to_vec();
        variables.push(("NODE_OPTIONS".into(), Secret::new(format!("--require \"{path}\""))));
        Ok(NpmSpawnGuard { _scratch: scratch, variables })
    }

    /// Returns the tool with the guard loaded.
    pub(super) fn guarded<'a>(&'a self, tool: PackageTool<'a>) -> PackageTool<'a> {
        tool.with_variables(&self.variables)
    }
}

/// Returns npm's output if it succeeded. If the guard or npm itself refused a dependency, the error
/// names it.
pub(super) fn check_success(
    tool: &PackageTool<'_>,
    package: &str,
    output: PackageToolOutput,
) -> Result<Vec<u8>, InstallError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let name_after = |start: &str, end: char| {
        let (_, rest) = stderr.split_once(start)?;
        let name = rest.split([end, '\n']).next().unwrap_or_default().trim();
        Some(cut(&escape(&without_user(name)), MAX_SHOWN))
    };
    let not_from_registry = |dependency: String, reason: &str| InstallError::NotFromRegistry {
        package: package.into(),
        dependency,
        wanted_by: None,
        reason: reason.into(),
    };
    if let Some(dependency) = name_after(NPM_PREFIX, '"') {
        return Err(not_from_registry(
            dependency,
            "is one of its dependencies, and is of no registry",
        ));
    }
    if tool.fetching == Fetching::Refused {
        return Err(InstallError::NotCached { package: package.into() });
    }
    if let Some(line) = name_after(GUARD_PREFIX, '\n') {
        return Err(not_from_registry(
            line,
            "would be started for a dependency that is of no registry",
        ));
    }
    Err(tool.failure(&describe_exit(output.status), &output.stderr))
}

#[cfg(test)]
mod tests {
    use super::{PackageToolOutput, check_success};
    use crate::install::package_tool::{Fetching, PackageTool};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::time::Duration;

    fn message_for(stderr: &str) -> String {
        let here = Path::new("/");
        let tool = PackageTool {
            name: "npm",
            program: here,
            variables: &[],
            keyless: &[],
            folder: here,
            doing: "install",
            package: "main@1.0.0",
            fetching: Fetching::Allowed,
            timeout: Duration::ZERO,
        };
        let status = std::process::ExitStatus::from_raw(256);
        let output = PackageToolOutput { status, stdout: Vec::new(), stderr: stderr.into() };
        check_success(&tool, "main", output).unwrap_err().to_string()
    }

    #[test]
    fn what_was_refused_is_named_whoever_refused_it() {
        let newer =
            "npm error code EALLOWGIT\nnpm error Refusing to fetch \"x@git+ssh://me:key@host/x\"\n";
        let of_newer = message_for(newer);
        assert!(of_newer.contains("`x@git+ssh://host/x` is one of its dependencies"), "{of_newer}");
        let of_guard = message_for("npm error pml refuses to start: git ls-remote \u{1b}[2J\n");
        assert!(of_guard.contains("`git ls-remote \\u{1b}[2J` would be started"), "{of_guard}");
        assert!(message_for("npm error network").contains("it ended with exit status 1"));
    }
}
