//! Asks the registry which version a launch line means.

use super::super::error::{InstallError, last_lines};
use super::super::spec::PackageSpec;
use super::guard::NpmSpawnGuard;
use super::lock;
use super::version::{compare, is_prerelease};
use crate::install::folders::ScratchFolder;
use crate::install::npm::program::has_program;
use crate::install::package_tool::{Fetching, PackageTool};
use crate::install::resolved_version::{ResolvedVersion, host};
use crate::model::{ANY_PLATFORM, PackageClosure, describe_exit};
use serde_json::Value;
use std::path::Path;

/// Flags that turn off what is not needed, whatever the user's settings are.
pub(super) const QUIET_FLAGS: &[&str] = &[
    "--no-global",
    "--no-dry-run",
    "--no-update-notifier",
    "--no-fund",
    "--no-audit",
    "--no-progress",
    "--no-color",
    "--loglevel=error",
    // An unreachable registry is reported within seconds, and not after a minute.
    "--fetch-retry-mintimeout=500",
    "--fetch-retry-maxtimeout=4000",
];

/// Returns the flags that decide whether npm may fetch anything.
pub(super) fn fetch_flags(tool: &PackageTool<'_>) -> &'static [&'static str] {
    match tool.fetching {
        Fetching::Allowed => &[],
        Fetching::Refused => &["--offline"],
    }
}

/// Returns the version that a launch line means, with everything that belongs to it. With `pinned`,
/// it is that version. `empty` is an empty folder, `home` the user's state folder.
pub(in super::super) async fn resolve(
    tool: &PackageTool<'_>,
    spec: &PackageSpec,
    pinned: Option<&str>,
    empty: &Path,
    home: &Path,
) -> Result<ResolvedVersion, InstallError> {
    let guard = NpmSpawnGuard::new(tool, home)?;
    let tool = &guard.guarded(*tool);
    let wanted = match (pinned, spec.package().versions.as_str()) {
        (Some(version), _) => version,
        (None, "") => "latest",
        (None, wanted) => wanted,
    };
    let requested = format!("{}@{wanted}", spec.package().name);
    let prefix = format!("--prefix={}", empty.display());
    let fields = ["view", "--json", &prefix];
    let arguments = fields.into_iter().chain(QUIET_FLAGS.iter().chain(fetch_flags(tool)).copied());
    let output =
        tool.run(arguments.chain(["--", &requested, "name", "version", "dist", "bin"])).await?;
    let json: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    if !output.status.success() {
        let code = json.as_ref().and_then(|json| json["error"]["code"].as_str());
        return Err(match code {
            Some("E404" | "ETARGET" | "ENOVERSIONS") => no_version(spec, &output.stderr),
            _ if tool.fetching == Fetching::Refused => {
                InstallError::NotCached { package: spec.written() }
            }
            _ => tool.failure(&describe_exit(output.status), &output.stderr),
        });
    }
    let found = match json {
        Some(Value::Array(all)) => all,
        Some(one @ Value::Object(_)) => vec![one],
        // npm prints nothing if no version matches a range.
        _ => Vec::new(),
    };
    let newest = newest(&found).ok_or_else(|| no_version(spec, &output.stderr))?;
    let dist = &newest["dist"];
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    if newest["name"].as_str() != Some(&spec.package().name) {
        return Err(tool.unreadable("it names another package"));
    }
    let mut resolved = ResolvedVersion {
        version: text(&newest["version"]).unwrap_or_default(),
        size: dist["unpackedSize"].as_u64(),
        source: host(dist["tarball"].as_str().unwrap_or_default()),
        integrity: text(&dist["integrity"]),
        program_of: program_owner(tool, spec, &newest["bin"], &prefix).await?,
        platform: ANY_PLATFORM.into(),
        closure: PackageClosure::default(),
    }
    .validated(tool)?;
    let scratch = ScratchFolder::new(home)?;
    resolved.closure = lock::closure(tool, spec, &resolved, scratch.path()).await?;
    if resolved.size.is_none() && tool.fetching == Fetching::Allowed {
        resolved.size = size(tool, &spec.package().pinned(&resolved.version), &prefix).await;
    }
    Ok(resolved)
}

/// Returns the name of the package whose program is started. This is the first package, unless it
/// lacks the named program and another package of the launch line has it. `bin` is that of the
/// first package.
async fn program_owner(
    tool: &PackageTool<'_>,
    spec: &PackageSpec,
    bin: &Value,
    prefix: &str,
) -> Result<String, InstallError> {
    let first = spec.package();
    let Some(wanted) = spec.program() else { return Ok(first.name.clone()) };
    if has_program(bin, first.base_name(), wanted) {
        return Ok(first.name.clone());
    }
    for other in spec.beside() {
        let flags = QUIET_FLAGS.iter().chain(fetch_flags(tool)).copied();
        let arguments = ["view", "--json", prefix].into_iter().chain(flags);
        let (requested, fields) = (other.to_string(), ["name", "version", "bin"]);
        let output = tool.run(arguments.chain(["--", &requested]).chain(fields)).await?;
        let json = tool.check_success(output)?;
        let json: Value = serde_json::from_slice(&json)
            .map_err(|_| tool.unreadable(&format!("it says nothing of `{other}`")))?;
        if has_program(&json["bin"], other.base_name(), wanted) {
            return Ok(other.name.clone());
        }
    }
    Ok(first.name.clone())
}

/// Returns the host of the registry that a package comes from, by the user's settings. Nothing is
/// fetched.
pub(in super::super) async fn registry(
    tool: &PackageTool<'_>,
    spec: &PackageSpec,
    empty: &Path,
) -> Result<String, InstallError> {
    let prefix = format!("--prefix={}", empty.display());
    lock::registry_host(tool, &spec.package().name, &prefix).await
}

/// Returns the newest of several versions. Prereleases count only if there is nothing else.
fn newest(found: &[Value]) -> Option<&Value> {
    let version = |one: &Value| one["version"].as_str().unwrap_or_default().to_owned();
    let order = |one: &&Value, other: &&Value| {
        let (one, other) = (version(one), version(other));
        is_prerelease(&other).cmp(&is_prerelease(&one)).then_with(|| compare(&one, &other))
    };
    found.iter().filter(|one| one["version"].is_string()).max_by(order)
}

/// Returns the unpacked size of a package whose registry does not name it. npm fetches the package
/// for that, which it would have to do later anyway.
async fn size(tool: &PackageTool<'_>, package: &str, prefix: &str) -> Option<u64> {
    // The last flag wins, so `--dry-run` holds and no file is written.
    let arguments = ["pack", "--json", "--ignore-scripts", prefix].into_iter();
    let arguments =
        arguments.chain(QUIET_FLAGS.iter().copied()).chain(["--dry-run", "--", package]);
    let output = tool.run(arguments).await.ok()?;
    let json: Value = serde_json::from_slice(&output.stdout).ok()?;
    json[0]["unpackedSize"].as_u64()
}

fn no_version(spec: &PackageSpec, stderr: &[u8]) -> InstallError {
    InstallError::NoVersion { package: spec.written(), output: last_lines(stderr) }
}

#[cfg(test)]
mod tests {
    use super::newest;
    use serde_json::json;

    #[test]
    fn the_newest_of_several_is_meant_and_no_early_one_if_there_is_another() {
        let of = |versions: &[&str]| {
            let found: Vec<_> =
                versions.iter().map(|version| json!({ "version": version })).collect();
            newest(&found).map(|found| found["version"].as_str().unwrap().to_owned())
        };
        assert_eq!(of(&["1.9.0", "1.10.0", "1.2.0"]).as_deref(), Some("1.10.0"));
        assert_eq!(of(&["1.9.0", "2.0.0-rc.1"]).as_deref(), Some("1.9.0"));
        assert_eq!(of(&["2.0.0-rc.1", "2.0.0-rc.2"]).as_deref(), Some("2.0.0-rc.2"));
        assert_eq!(of(&[]), None);
    }
}
