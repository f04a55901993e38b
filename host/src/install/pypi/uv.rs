//! `uv`, which does not need the machine's Python.

use super::super::error::{InstallError, last_lines};
use super::super::spec::{InstallScripts, PackageSpec};
use super::closure::{constraints, of_lock, read_dependents, requirements};
use super::compile::{compile, interpreter};
use super::name::is_same_name;
use super::platform::{ISOLATED, PythonPlatform};
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::{Fetching, PackageTool, PackageToolOutput};
use crate::install::pypi::build_environment::BuildEnvironment;
use crate::install::pypi::python_tool::{PythonInstallJob, PythonResolveJob};
use crate::install::pypi::venv_snapshot::VenvSnapshot;
use crate::install::resolved_version::{ResolvedVersion, host};
use crate::model::{PackageClosure, cut, describe_exit, escape};
use toml::Table;

/// Flags that turn off what is not needed.
const QUIET_FLAGS: &[&str] = &["--no-progress", "--color", "never"];

/// Returns the Python that packages are installed for. uv may have to fetch it.
pub(super) async fn platform(
    tool: &PackageTool<'_>,
    spec: &PackageSpec,
    scratch: &ScratchFolder,
) -> Result<PythonPlatform, InstallError> {
    let probe = scratch.path().join("probe");
    let probe_name = probe.to_string_lossy();
    let mut arguments = vec!["venv", "--no-project"];
    arguments.extend(QUIET_FLAGS.iter().chain(fetch_flags(tool)));
    if let Some(python) = spec.python() {
        arguments.extend(["--python", python]);
    }
    arguments.extend(["--", &probe_name]);
    let output = tool.run(arguments).await?;
    tool.check_success(output)?;
    let python = probe.join("bin/python");
    let python = tool.without_keys().with_program(&python);
    let output = python.run(ISOLATED).await?;
    PythonPlatform::read(tool, &python.check_success(output)?)
}

/// Returns the version that a launch line means, with everything that belongs to it.
pub(super) async fn resolve(
    tool: &PackageTool<'_>,
    job: PythonResolveJob<'_>,
) -> Result<ResolvedVersion, InstallError> {
    let PythonResolveJob { spec, pinned, platform, scratch, .. } = job;
    let mut requested = job.requested();
    for beside in spec.beside() {
        requested = format!("{requested}\n{beside}");
    }
    let requested = scratch.write("asked.txt", &(requested + "\n"))?;
    let constraints = pinned.map(|pinned| constraints(&spec.package().name, &pinned.closure));
    let constraints = constraints.transpose()?;
    let constraints =
        constraints.map(|text| scratch.write("constraints.txt", &text)).transpose()?;
    let (requested, constraints) =
        (requested.to_string_lossy(), constraints.as_ref().map(|path| path.to_string_lossy()));
    let mut common = vec!["pip", "compile", "--no-header"];
    common.extend(QUIET_FLAGS.iter().chain(fetch_flags(tool)));
    common.extend(wheel_flags(spec));
    common.extend(constraints.iter().flat_map(|path| ["--constraint", &**path]));
    if let Some(python) = spec.python() {
        common.extend(["--python", python]);
    }
    let compile = |format: &'static [&'static str]| {
        let arguments = common.iter().copied().chain(format.iter().copied());
        tool.run(arguments.chain(["--", &*requested]).map(ToOwned::to_owned).collect::<Vec<_>>())
    };
    let output = compile(&["--format", "pylock.toml"]).await?;
    if !output.status.success() {
        return Err(failure(tool, spec, &output));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut resolved = read(&text, spec)
        .ok_or_else(|| tool.unreadable("its lock does not name the package"))?
        .validated(tool)?;
    // The lock does not say who needs whom.
    let listed = tool.check_success(compile(&["--annotation-style", "line"]).await?)?;
    let dependents = read_dependents(&String::from_utf8_lossy(&listed));
    let lock: Table = text.parse().map_err(|_| tool.unreadable("its lock is of another form"))?;
    resolved.closure = of_lock(tool, &lock, platform, &dependents)?;
    resolved.platform = platform.label();
    Ok(resolved)
}

/// Returns the flags that decide whether uv may fetch anything.
fn fetch_flags(tool: &PackageTool<'_>) -> &'static [&'static str] {
    match tool.fetching {
        Fetching::Allowed => &[],
        Fetching::Refused => &["--offline"],
    }
}

/// Reads the one package of a lock file. Its integrity is the list of the hashes of all its files.
fn read(lock: &str, spec: &PackageSpec) -> Option<ResolvedVersion> {
    let lock: Table = lock.parse().ok()?;
    let packages = lock.get("packages")?.as_array()?.iter().filter_map(|one| one.as_table());
    let text = |table: &Table, key: &str| Some(table.get(key)?.as_str()?.to_owned());
    let of = |table: &&Table| {
        text(table, "name").is_some_and(|name| is_same_name(&name, &spec.package().name))
    };
    let found = packages.into_iter().find(of)?;
    let wheels = found.get("wheels").and_then(|wheels| wheels.as_array());
    let mut files: Vec<&Table> =
        wheels.into_iter().flatten().filter_map(|one| one.as_table()).collect();
    files.extend(found.get("sdist").and_then(|sdist| sdist.as_table()));
    let hash = |file: &&Table| {
        Some(format!("sha256:{}", text(file.get("hashes")?.as_table()?, "sha256")?))
    };
    let mut hashes: Vec<_> = files.iter().filter_map(hash).collect();
    hashes.sort();
    let size = |file: &&Table| u64::try_from(file.get("size")?.as_integer()?).ok();
    Some(ResolvedVersion {
        version: text(found, "version")?,
        size: files.iter().filter_map(size).max(),
        source: files
            .first()
            .and_then(|file| text(file, "url"))
            .map_or_else(String::new, |url| host(&url)),
        // More hashes mean files for many machines. The integrity must be short enough to be
        // stored.
        integrity: (!hashes.is_empty() && hashes.len() <= 24).then(|| hashes.join(" ")),
        program_of: spec.package().name.clone(),
        platform: String::new(),
        closure: PackageClosure::default(),
    })
}

/// Makes a virtual environment in a folder and installs the package into it. uv itself checks the
/// files against the hashes.
pub(super) async fn install(
    tool: &PackageTool<'_>,
    job: PythonInstallJob<'_>,
) -> Result<(), InstallError> {
    let PythonInstallJob { spec, package, closure, folder, scratch, building } = job;
    let folder_name = folder.to_string_lossy();
    let mut arguments = vec!["venv", "--no-project", "--relocatable", "--allow-existing"];
    arguments.extend(QUIET_FLAGS.iter().chain(fetch_flags(tool)));
    if let Some(python) = spec.python() {
        arguments.extend(["--python", python]);
    }
    arguments.extend(["--", &folder_name]);
    // uv may have to fetch a Python, so it gets its keys.
    let output = tool.run(arguments).await?;
    tool.check_success(output)?;
    let (snapshot, interpreter) = (VenvSnapshot::of(folder)?, interpreter(folder)?);
    let list = scratch.write("asked.txt", &requirements(&package.name, closure)?)?;
    let python = folder.join("bin/python");
    let (python, list) = (python.to_string_lossy(), list.to_string_lossy());
    // With links into uv's cache, others could change the installed files. To compile, uv would
    // start the environment's own interpreter, with all code that packages let it run at startup.
    let mut arguments = vec!["pip", "install", "--python", &python, "--link-mode", "copy"];
    // Exactly these files: nothing is resolved, and uv checks the hashes.
    arguments.extend(["--no-compile-bytecode", "--no-deps", "--require-hashes"]);
    arguments.extend(QUIET_FLAGS.iter().chain(fetch_flags(tool)));
    arguments.extend(wheel_flags(spec));
    arguments.extend(["-r", &list]);
    let output = BuildEnvironment::apply_to(building, *tool).run(arguments).await?;
    if !output.status.success() {
        return Err(failure(tool, spec, &output));
    }
    snapshot.check(folder, &package.name)?;
    compile(tool, &interpreter, folder).await
}

fn wheel_flags(spec: &PackageSpec) -> Option<&'static str> {
    (spec.scripts() == InstallScripts::Refused).then_some("--no-build")
}

/// Returns the error for a failed uv. It tells apart a package that does not exist, one that would
/// have to be built, and network trouble.
fn failure(tool: &PackageTool<'_>, spec: &PackageSpec, output: &PackageToolOutput) -> InstallError {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let (package, lines) = (spec.written(), last_lines(&output.stderr));
    let mentions = |text: &str| stderr.contains(text);
    if tool.fetching == Fetching::Refused {
        return InstallError::NotCached { package };
    }
    if mentions("no usable wheels")
        || mentions("no wheels")
        || mentions("building source distributions is disabled")
    {
        return InstallError::NoWheel { package, output: lines };
    }
    let by_address = stderr.split_once("` was included as a URL dependency");
    if let Some((_, dependency)) = by_address.and_then(|(before, _)| before.rsplit_once('`')) {
        return InstallError::NotFromRegistry {
            package: spec.package().name.clone(),
            dependency: cut(&escape(dependency), 120),
            wanted_by: None,
            reason: "is wanted by its address, and not from an index".into(),
        };
    }
    match mentions("No solution found") || mentions("not found in the package registry") {
        true => InstallError::NoVersion { package, output: lines },
        false => tool.failure(&describe_exit(output.status), &output.stderr),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::install::spec::PackageSpec;

    #[test]
    fn a_lock_says_which_version_from_where_and_what_it_hashes_to() {
        let spec = PackageSpec::parse("uvx", &["Some_Server".into()]).unwrap().unwrap();
        let lock = r#"
            lock-version = "1.0"
            [[packages]]
            name = "some-server"
            version = "1.2.3"
            sdist = { url = "https://host/x.tar.gz", size = 5, hashes = { sha256 = "bb" } }
            wheels = [{ url = "https://me:key@host/x.whl", size = 7, hashes = { sha256 = "aa" } }]
        "#;
        let found = read(lock, &spec).unwrap();
        assert_eq!(
            (found.version.as_str(), found.size, found.source.as_str()),
            ("1.2.3", Some(7), "host")
        );
        assert_eq!(found.integrity.as_deref(), Some("sha256:aa sha256:bb"));
        assert_eq!(read("", &spec), None);
        assert_eq!(read(&lock.replace("some-server", "other"), &spec), None);
    }
}
