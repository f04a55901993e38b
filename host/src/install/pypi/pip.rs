//! `pip`, as a module of the machine's Python.

use super::super::error::{InstallError, last_lines, without_user};
use super::super::spec::{InstallScripts, PackageSpec};
use super::closure::{check_report, constraints, of_report, requirements};
use super::compile::{compile, interpreter};
use super::name::is_same_name;
use super::platform::{ISOLATED, PythonPlatform};
use crate::disk;
use crate::install::package_tool::{Fetching, PackageTool, PackageToolOutput};
use crate::install::pypi::build_environment::BuildEnvironment;
use crate::install::pypi::python_tool::{PythonInstallJob, PythonResolveJob};
use crate::install::pypi::venv_snapshot::VenvSnapshot;
use crate::install::resolved_version::{ResolvedVersion, host};
use crate::model::{Package, cut, describe_exit, escape};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Maximum size of pip's report, in bytes: it has the metadata of every package, with their
/// descriptions.
const MAX_REPORT: u64 = 64 << 20;

/// Flags that turn off what is not needed.
const QUIET_FLAGS: &[&str] =
    &["--quiet", "--no-input", "--disable-pip-version-check", "--no-color"];

/// The prefix of the guard's messages.
const GUARD_PREFIX: &str = "pml refuses to start: ";

/// Flags that allow only wheels. They are left out if code of packages may run.
const WHEEL_FLAGS: &[&str] = &["--only-binary", ":all:"];

/// Runs pip, and prevents it from starting any program.
const GUARD: &str = include_str!("guard.py");

/// Prints the path of the interpreter, and the file with which another interpreter runs its pip.
const LOCATE: &str = "import os, sys, pip\nprint(sys.executable)\n\
    print(os.path.join(os.path.dirname(pip.__file__), '__pip-runner__.py'))";

/// The paths of Python and its pip. The `python3` on the `PATH` may be a script that looks for them
/// in the user's home.
struct PipLocation {
    python: PathBuf,
    runner: String,
}

impl PipLocation {
    async fn find(tool: &PackageTool<'_>) -> Result<PipLocation, InstallError> {
        let tool = tool.without_keys();
        let output = tool.run(["-c", LOCATE]).await?;
        let printed = tool.check_success(output)?;
        let printed = String::from_utf8_lossy(&printed);
        let mut lines = printed.lines();
        match (lines.next(), lines.next()) {
            (Some(python), Some(runner)) if Path::new(python).is_absolute() => {
                Ok(PipLocation { python: python.into(), runner: runner.into() })
            }
            _ => Err(tool.unreadable("it does not say where it is")),
        }
    }
}

/// Returns the Python that packages are installed for.
pub(super) async fn platform(tool: &PackageTool<'_>) -> Result<PythonPlatform, InstallError> {
    let location = PipLocation::find(tool).await?;
    let python = tool.without_keys().with_program(&location.python);
    let output = python.run(ISOLATED).await?;
    PythonPlatform::read(tool, &python.check_success(output)?)
}

/// Returns the version that a launch line means, with everything that belongs to it.
pub(super) async fn resolve(
    tool: &PackageTool<'_>,
    job: PythonResolveJob<'_>,
) -> Result<ResolvedVersion, InstallError> {
    let PythonResolveJob { spec, pinned, platform, scratch, building } = job;
    let location = match building {
        Some(_) => Some(PipLocation::find(tool).await?),
        None => None,
    };
    let mut tool = BuildEnvironment::apply_to(building, *tool);
    if let Some(location) = &location {
        tool = tool.with_program(&location.python);
    }
    let tool = &tool;
    let mut requested = vec![job.requested()];
    requested.extend(spec.beside().iter().map(ToString::to_string));
    let constraints = pinned.map(|pinned| constraints(&spec.package().name, &pinned.closure));
    let constraints = constraints.transpose()?;
    let constraints =
        constraints.map(|text| scratch.write("constraints.txt", &text)).transpose()?;
    let constraints = constraints.as_ref().map(|path| path.to_string_lossy());
    let mut arguments = pip_arguments(spec);
    arguments.extend(["install", "--dry-run", "--report", "-", "--ignore-installed"]);
    arguments.extend(QUIET_FLAGS.iter().chain(fetch_flags(tool)));
    arguments.extend(wheel_flags(spec));
    arguments.extend(constraints.iter().flat_map(|path| ["--constraint", &**path]));
    arguments.push("--");
    arguments.extend(requested.iter().map(String::as_str));
    let output = tool.run(arguments).await?;
    if !output.status.success() {
        return Err(failure(tool, spec, output).await);
    }
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| tool.unreadable("its report is no JSON"))?;
    refuse_direct(&report, &spec.package().name)?;
    let found = find_reported(&report, spec)
        .ok_or_else(|| tool.unreadable("its report does not name the package"))?;
    let url = found["download_info"]["url"].as_str().unwrap_or_default();
    let mut resolved = ResolvedVersion {
        version: found["metadata"]["version"].as_str().unwrap_or_default().into(),
        size: None,
        source: host(url),
        integrity: integrity(found),
        program_of: spec.package().name.clone(),
        platform: platform.label(),
        closure: of_report(tool, &report)?,
    }
    .validated(tool)?;
    if url.ends_with(".whl") && tool.fetching == Fetching::Allowed {
        let pinned = spec.package().pinned(&resolved.version);
        resolved.size = size(tool, &pinned, scratch.path()).await;
    }
    Ok(resolved)
}

/// Returns the size of a package, which the index does not name. pip fetches the package for that,
/// which it would have to do later anyway.
async fn size(tool: &PackageTool<'_>, package: &str, folder: &Path) -> Option<u64> {
    let folder = folder.join("wheel");
    let mut arguments = vec!["-c", GUARD, "-", "download", "--no-deps", "--dest", folder.to_str()?];
    arguments.extend(QUIET_FLAGS.iter().chain(WHEEL_FLAGS));
    arguments.extend(["--", package]);
    tool.run(arguments).await.ok()?;
    let files = std::fs::read_dir(&folder).ok()?.flatten();
    files.filter_map(|file| file.metadata().ok()).map(|found| found.len()).max()
}

/// Makes a virtual environment in a folder and installs the package into it.
pub(super) async fn install(
    tool: &PackageTool<'_>,
    job: PythonInstallJob<'_>,
) -> Result<(), InstallError> {
    let PythonInstallJob { spec, package, closure, folder, scratch, building } = job;
    let location = PipLocation::find(tool).await?;
    let tool = tool.with_program(&location.python);
    let folder_name = folder.to_string_lossy();
    let output = tool.without_keys().run(["-m", "venv", "--without-pip", &folder_name]).await?;
    tool.check_success(output)?;
    let (snapshot, interpreter) = (VenvSnapshot::of(folder)?, interpreter(folder)?);
    let python = folder.join("bin/python");
    // The report is outside of `folder`, since a package can write into that.
    let path = scratch.path().join("report.json");
    let (python_name, report) = (python.to_string_lossy(), path.to_string_lossy());
    let (pip, mut arguments) = match building {
        // The environment's own interpreter may be used, as it has no packages yet.
        None => (tool.with_program(&python), vec!["-I", "-c", GUARD, &location.runner]),
        Some(_) => (
            BuildEnvironment::apply_to(building, tool),
            vec!["-m", "pip", "--python", &python_name],
        ),
    };
    arguments.extend(["install", "--report", &report, "--no-user", "--no-compile"]);
    arguments.extend(["--ignore-installed", "--no-warn-script-location"]);
    arguments.extend(QUIET_FLAGS.iter().chain(fetch_flags(&pip)));
    arguments.extend(wheel_flags(spec));
    let list = scratch.write("asked.txt", &requirements(&package.name, closure)?)?;
    let list = list.to_string_lossy();
    // Exactly these files: nothing is resolved, and pip checks the hashes.
    arguments.extend(["--no-deps", "--require-hashes", "-r", &list]);
    let output = pip.run(arguments).await?;
    if !output.status.success() {
        return Err(failure(&tool, spec, output).await);
    }
    snapshot.check(folder, &package.name)?;
    let report =
        disk::read(&path, MAX_REPORT).map_err(|error| InstallError::io("read", &path, error))?;
    let report: Value =
        serde_json::from_slice(&report).map_err(|_| tool.unreadable("its report is no JSON"))?;
    check_agreement(&report, spec, package)?;
    check_report(package, closure, &of_report(&tool, &report)?)?;
    compile(&tool, &interpreter, folder).await
}

/// Returns the arguments that start pip: directly if code of packages may run, else with the guard.
fn pip_arguments(spec: &PackageSpec) -> Vec<&'static str> {
    match spec.scripts() {
        InstallScripts::Refused => vec!["-c", GUARD, "-"],
        InstallScripts::Allowed => vec!["-m", "pip"],
    }
}

/// Checks that pip's report has the package that was agreed to.
fn check_agreement(
    report: &Value,
    spec: &PackageSpec,
    package: &Package,
) -> Result<(), InstallError> {
    let found = find_reported(report, spec).unwrap_or(&Value::Null);
    let mismatch = |what, agreed: &str, found: &str| InstallError::Mismatch {
        package: package.name.clone(),
        what,
        agreed: agreed.into(),
        found: cut(&escape(found), 200),
    };
    let version = found["metadata"]["version"].as_str().unwrap_or("nothing");
    if version != package.version {
        return Err(mismatch("the version", &package.version, version));
    }
    refuse_direct(report, &package.name)?;
    let hash = integrity(found);
    match &package.integrity {
        // A version has several files, and the hash of any of them is accepted.
        Some(agreed) if !agreed.split(' ').any(|one| Some(one) == hash.as_deref()) => {
            Err(mismatch("the hash", agreed, hash.as_deref().unwrap_or("nothing")))
        }
        _ => Ok(()),
    }
}

/// Refuses packages that are wanted by address.
fn refuse_direct(report: &Value, package: &str) -> Result<(), InstallError> {
    let all = || report["install"].as_array().into_iter().flatten();
    let Some(direct) = all().find(|one| one["is_direct"] == true) else { return Ok(()) };
    let name = |one: &Value| one["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let shown = |text: &str| cut(&escape(&without_user(text)).replace(['\n', '\t'], " "), 120);
    let wanted = |one: &&Value| {
        let mut all = one["metadata"]["requires_dist"].as_array().into_iter().flatten();
        all.any(|wanted| {
            let wanted = wanted.as_str().unwrap_or_default();
            let end = wanted.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
            is_same_name(&wanted[..end.unwrap_or(wanted.len())], &name(direct))
        })
    };
    let url = direct["download_info"]["url"].as_str().unwrap_or_default();
    Err(InstallError::NotFromRegistry {
        package: package.into(),
        dependency: shown(&name(direct)),
        wanted_by: all().find(wanted).map(|one| shown(&name(one))),
        reason: format!("is wanted from `{}`, and not from an index", shown(url)),
    })
}

/// Returns the flags that decide whether pip may fetch anything. It does not use what it has cached
/// of an index without asking that; only wheels in folders of its settings are used.
fn fetch_flags(tool: &PackageTool<'_>) -> &'static [&'static str] {
    match tool.fetching {
        Fetching::Allowed => &[],
        Fetching::Refused => &["--no-index"],
    }
}

fn wheel_flags(spec: &PackageSpec) -> &'static [&'static str] {
    if spec.scripts() == InstallScripts::Refused { WHEEL_FLAGS } else { &[] }
}

fn find_reported<'a>(report: &'a Value, spec: &PackageSpec) -> Option<&'a Value> {
    let of = |one: &&Value| {
        one["metadata"]["name"]
            .as_str()
            .is_some_and(|name| is_same_name(name, &spec.package().name))
    };
    report["install"].as_array()?.iter().find(of)
}

fn integrity(found: &Value) -> Option<String> {
    let hash = found["download_info"]["archive_info"]["hashes"]["sha256"].as_str()?;
    Some(format!("sha256:{hash}"))
}

/// Returns the error for a failed pip. It tells apart a package that does not exist, one that would
/// have to be built, and network trouble.
async fn failure(
    tool: &PackageTool<'_>,
    spec: &PackageSpec,
    output: PackageToolOutput,
) -> InstallError {
    let printed = String::from_utf8_lossy(&output.stderr);
    let (package, lines) = (spec.written(), last_lines(&output.stderr));
    if spec.scripts() == InstallScripts::Refused && printed.contains(GUARD_PREFIX) {
        let rest = printed.split_once(GUARD_PREFIX).map_or("", |(_, rest)| rest);
        let program = rest.split_whitespace().next().unwrap_or_default();
        return InstallError::NotFromRegistry {
            package: spec.package().name.clone(),
            dependency: cut(&escape(program), 80),
            wanted_by: None,
            reason: "would be started for a dependency that has to be built, or comes from git"
                .into(),
        };
    }
    if tool.fetching == Fetching::Refused {
        return InstallError::NotCached { package };
    }
    if !printed.contains("No matching distribution found") {
        return tool.failure(&describe_exit(output.status), &output.stderr);
    }
    if spec.scripts() == InstallScripts::Refused && printed.contains("from versions: none") {
        let name = &spec.package().name;
        let arguments =
            ["-c", GUARD, "-", "index", "versions", "--no-input", "--disable-pip-version-check"];
        let listed = tool.run(arguments.into_iter().chain(["--", name])).await;
        if listed.is_ok_and(|output| output.status.success() && !output.stdout.is_empty()) {
            return InstallError::NoWheel { package, output: lines };
        }
    }
    InstallError::NoVersion { package, output: lines }
}

#[cfg(test)]
mod tests {
    use super::check_agreement;
    use crate::install::spec::PackageSpec;
    use crate::model::{Ecosystem, Package};
    use serde_json::json;

    #[test]
    fn what_was_installed_must_be_what_was_agreed_to() {
        let spec = PackageSpec::parse("uvx", &["some-server".into()]).unwrap().unwrap();
        let mut agreed = Package::new("a", Ecosystem::Pypi, "some-server", "1.0", "host", "uvx");
        agreed.integrity = Some("sha256:aa sha256:bb".into());
        let report = |name: &str, version: &str, hash: &str| {
            json!({ "install": [
                { "metadata": { "name": "other", "version": "1.0" } },
                { "metadata": { "name": name, "version": version },
                  "download_info": { "archive_info": { "hashes": { "sha256": hash } } } },
            ] })
        };
        assert!(check_agreement(&report("Some_Server", "1.0", "bb"), &spec, &agreed).is_ok());
        assert!(check_agreement(&report("some-server", "1.1", "bb"), &spec, &agreed).is_err());
        assert!(check_agreement(&report("some-server", "1.0", "cc"), &spec, &agreed).is_err());
        assert!(check_agreement(&report("another", "1.0", "bb"), &spec, &agreed).is_err());
        assert!(check_agreement(&json!({}), &spec, &agreed).is_err());
        let mut direct = report("some-server", "1.0", "bb");
        direct["install"][0]["is_direct"] = json!(true);
        direct["install"][0]["download_info"] = json!({ "url": "https://me:key@host/x.whl" });
        direct["install"][1]["metadata"]["requires_dist"] = json!(["Other[a] @ https://host/x"]);
        let message = check_agreement(&direct, &spec, &agreed).unwrap_err().to_string();
        let expected = "`some-server` cannot be installed: `other`, which `some-server` depends on, \
            is wanted from `https://host/x.whl`, and not from an index";
        assert_eq!(message, expected);
    }
}
