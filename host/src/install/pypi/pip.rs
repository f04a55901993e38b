//! `pip`, as a module of the machine's Python.

use super::super::error::{InstallError, last_words};
use super::super::place::Scratch;
use super::super::resolved::{Resolved, host};
use super::super::spec::{Scripts, Spec};
use super::super::tool::{Ended, Tool};
use super::name::same;
use crate::disk;
use crate::model::{Package, cut, describe_exit, escape};
use serde_json::Value;
use std::path::Path;

/// What it reports of an installation: the metadata of every package, their descriptions included.
const REPORT: u64 = 64 << 20;

/// What keeps pip to its business.
const PLAIN: &[&str] = &["--quiet", "--no-input", "--disable-pip-version-check", "--no-color"];

/// Wheels only, unless code of packages may run.
const WHEELS: &[&str] = &["--only-binary", ":all:"];

/// Returns the version that a launch line means.
pub(super) async fn resolve(
    tool: &Tool<'_>,
    spec: &Spec,
    scratch: &Scratch,
) -> Result<Resolved, InstallError> {
    let asked = spec.package().to_string();
    let mut line = vec!["-m", "pip", "install", "--dry-run", "--report", "-", "--no-deps"];
    line.push("--ignore-installed");
    line.extend(PLAIN);
    line.extend(wheels(spec));
    line.extend(["--", &asked]);
    let ended = tool.run(line).await?;
    if !ended.status.success() {
        return Err(refused(tool, spec, ended).await);
    }
    let report: Value = serde_json::from_slice(&ended.stdout)
        .map_err(|_| tool.unreadable("its report is no JSON"))?;
    let found = reported(&report, spec)
        .ok_or_else(|| tool.unreadable("its report does not name the package"))?;
    let url = found["download_info"]["url"].as_str().unwrap_or_default();
    let mut resolved = Resolved {
        version: found["metadata"]["version"].as_str().unwrap_or_default().into(),
        size: None,
        source: host(url),
        integrity: integrity(found),
    }
    .checked(tool)?;
    if url.ends_with(".whl") {
        let pinned = spec.package().pinned(&resolved.version);
        resolved.size = size(tool, &pinned, scratch.path()).await;
    }
    Ok(resolved)
}

/// The index does not say how large a package is. pip fetches it, which it would have to anyway.
async fn size(tool: &Tool<'_>, package: &str, folder: &Path) -> Option<u64> {
    let folder = folder.join("wheel");
    let mut line = vec!["-m", "pip", "download", "--no-deps", "--dest", folder.to_str()?];
    line.extend(PLAIN.iter().chain(WHEELS));
    line.extend(["--", package]);
    tool.run(line).await.ok()?;
    let files = std::fs::read_dir(&folder).ok()?.flatten();
    files.filter_map(|file| file.metadata().ok()).map(|found| found.len()).max()
}

/// Fills `folder` with a virtual environment and the package in it.
pub(super) async fn install(
    tool: &Tool<'_>,
    spec: &Spec,
    package: &Package,
    folder: &Path,
) -> Result<(), InstallError> {
    let folder_name = folder.to_string_lossy();
    let ended = tool.run(["-m", "venv", "--without-pip", &folder_name]).await?;
    tool.succeeded(ended)?;
    let python = folder.join("bin/python");
    let path = folder.join("report.json");
    let (python, report) = (python.to_string_lossy(), path.to_string_lossy());
    let mut line = vec!["-m", "pip", "--python", &python, "install", "--report", &report];
    line.extend(["--no-user", "--no-warn-script-location"]);
    line.extend(PLAIN);
    line.extend(wheels(spec));
    let mut packages = vec![spec.package().pinned(&package.version)];
    packages.extend(spec.beside().iter().map(ToString::to_string));
    line.push("--");
    line.extend(packages.iter().map(String::as_str));
    let ended = tool.run(line).await?;
    if !ended.status.success() {
        return Err(refused(tool, spec, ended).await);
    }
    let failed = |error| InstallError::io("read", &path, error);
    let report = disk::read(&path, REPORT).map_err(failed)?;
    std::fs::remove_file(&path).map_err(failed)?;
    let report: Value =
        serde_json::from_slice(&report).map_err(|_| tool.unreadable("its report is no JSON"))?;
    check(&report, spec, package)
}

/// Holds what pip says it installed against what was agreed to.
fn check(report: &Value, spec: &Spec, package: &Package) -> Result<(), InstallError> {
    let found = reported(report, spec).unwrap_or(&Value::Null);
    let other = |what, agreed: &str, found: &str| InstallError::Other {
        package: package.name.clone(),
        what,
        agreed: agreed.into(),
        found: cut(&escape(found), 200),
    };
    let version = found["metadata"]["version"].as_str().unwrap_or("nothing");
    if version != package.version {
        return Err(other("the version", &package.version, version));
    }
    let hash = integrity(found);
    match &package.integrity {
        // One of several files of the version was agreed to.
        Some(agreed) if !agreed.split(' ').any(|one| Some(one) == hash.as_deref()) => {
            Err(other("the hash", agreed, hash.as_deref().unwrap_or("nothing")))
        }
        _ => Ok(()),
    }
}

fn wheels(spec: &Spec) -> &'static [&'static str] {
    if spec.scripts() == Scripts::Refused { WHEELS } else { &[] }
}

fn reported<'a>(report: &'a Value, spec: &Spec) -> Option<&'a Value> {
    let of = |one: &&Value| {
        one["metadata"]["name"].as_str().is_some_and(|name| same(name, &spec.package().name))
    };
    report["install"].as_array()?.iter().find(of)
}

fn integrity(found: &Value) -> Option<String> {
    let hash = found["download_info"]["archive_info"]["hashes"]["sha256"].as_str()?;
    Some(format!("sha256:{hash}"))
}

/// Tells a package that is not there from one that would have to be built, and both from trouble with the network.
async fn refused(tool: &Tool<'_>, spec: &Spec, ended: Ended) -> InstallError {
    let said = String::from_utf8_lossy(&ended.stderr);
    let (package, words) = (spec.written(), last_words(&ended.stderr));
    if !said.contains("No matching distribution found") {
        return tool.failed(&describe_exit(ended.status), &ended.stderr);
    }
    if spec.scripts() == Scripts::Refused && said.contains("from versions: none") {
        let name = &spec.package().name;
        let line = ["-m", "pip", "index", "versions", "--no-input", "--disable-pip-version-check"];
        let listed = tool.run(line.into_iter().chain(["--", name])).await;
        if listed.is_ok_and(|ended| ended.status.success() && !ended.stdout.is_empty()) {
            return InstallError::NoWheel { package, said: words };
        }
    }
    InstallError::NoVersion { package, said: words }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::install::spec::Spec;
    use crate::model::{Ecosystem, Package};
    use serde_json::json;

    #[test]
    fn what_was_installed_must_be_what_was_agreed_to() {
        let spec = Spec::of("uvx", &["some-server".into()]).unwrap().unwrap();
        let mut agreed = Package::new("a", Ecosystem::Pypi, "some-server", "1.0", "host", "uvx");
        agreed.integrity = Some("sha256:aa sha256:bb".into());
        let report = |name: &str, version: &str, hash: &str| {
            json!({ "install": [
                { "metadata": { "name": "other", "version": "1.0" } },
                { "metadata": { "name": name, "version": version },
                  "download_info": { "archive_info": { "hashes": { "sha256": hash } } } },
            ] })
        };
        assert!(check(&report("Some_Server", "1.0", "bb"), &spec, &agreed).is_ok());
        assert!(check(&report("some-server", "1.1", "bb"), &spec, &agreed).is_err());
        assert!(check(&report("some-server", "1.0", "cc"), &spec, &agreed).is_err());
        assert!(check(&report("another", "1.0", "bb"), &spec, &agreed).is_err());
        assert!(check(&json!({}), &spec, &agreed).is_err());
    }
}
