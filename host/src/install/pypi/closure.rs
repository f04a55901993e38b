//! The closure of a Python package: read from what a tool resolved, written as a list of
//! requirements, and compared with what was installed.
//!
//! **Invariant:** a closure may come from a file of the project. Names and versions that could mean
//! anything else than a file of an index are refused.

use super::super::error::InstallError;
use super::distribution::Distribution;
use super::name::normalize;
use super::platform::PythonPlatform;
use super::wheel::rank;
use crate::install::package_tool::PackageTool;
use crate::install::resolved_version::is_version;
use crate::model::{ClosurePackage, Package, PackageClosure, cut, escape};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::Table;

/// Reads the closure from pip's report.
pub(super) fn of_report(
    tool: &PackageTool<'_>,
    report: &Value,
) -> Result<PackageClosure, InstallError> {
    let mut packages = BTreeMap::new();
    for one in report["install"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = normalize(&text(&one["metadata"]["name"]));
        let info = &one["download_info"];
        let wanted = one["metadata"]["requires_dist"].as_array().into_iter().flatten();
        let wanted = wanted.filter_map(|one| Some(normalize(required_name(one.as_str()?))));
        let hash = text(&info["archive_info"]["hashes"]["sha256"]);
        let package = ClosurePackage {
            version: text(&one["metadata"]["version"]),
            hash: format!("sha256:{hash}"),
            file: file_name(&text(&info["url"])),
            needs: wanted.collect::<BTreeSet<_>>().into_iter().collect(),
            ..ClosurePackage::default()
        };
        packages.insert(name, package);
    }
    let mut closure = PackageClosure { packages };
    keep_present_needs(&mut closure);
    let text = requirements("", &closure);
    text.map(|_| closure).map_err(|error| tool.unreadable(&error.to_string()))
}

/// Reads the closure from uv's lock file, with the files that fit the machine. `dependents` are the
/// packages that need each package.
pub(super) fn of_lock(
    tool: &PackageTool<'_>,
    lock: &Table,
    platform: &PythonPlatform,
    dependents: &BTreeMap<String, BTreeSet<String>>,
) -> Result<PackageClosure, InstallError> {
    let mut packages = BTreeMap::new();
    let all = lock.get("packages").and_then(|all| all.as_array()).into_iter().flatten();
    for one in all.filter_map(|one| one.as_table()) {
        let text = |key: &str| one.get(key).and_then(|text| text.as_str()).unwrap_or_default();
        let (name, version) = (normalize(text("name")), text("version"));
        let wheels = one.get("wheels").and_then(|all| all.as_array()).into_iter().flatten();
        let wheels = wheels.filter_map(|one| FoundFile::read(one.as_table()?));
        let best = wheels.filter_map(|file| Some((rank(&file.name, platform)?, file)));
        let best = best.max_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, file)| file);
        let source = || FoundFile::read(one.get("sdist")?.as_table()?);
        let Some(file) = best.or_else(source) else {
            return Err(tool.unreadable(&format!("it has no file of `{name}` for this machine")));
        };
        let package = ClosurePackage {
            version: version.into(),
            hash: file.hash,
            file: Some(file.name),
            ..ClosurePackage::default()
        };
        packages.insert(name, package);
    }
    let mut closure = PackageClosure { packages };
    for (name, dependents) in dependents {
        for dependent in dependents {
            if let Some(package) = closure.packages.get_mut(dependent) {
                package.needs.push(name.clone());
            }
        }
    }
    keep_present_needs(&mut closure);
    let text = requirements("", &closure);
    text.map(|_| closure).map_err(|error| tool.unreadable(&error.to_string()))
}

/// Reads who needs each package from the comments that uv writes behind its requirements.
pub(super) fn read_dependents(printed: &str) -> BTreeMap<String, BTreeSet<String>> {
    let line = |line: &str| {
        let (requirement, via) = line.split_once("# via ")?;
        let name = normalize(requirement.split("==").next()?.split('[').next()?.trim());
        let via = via.split(',').map(|one| normalize(one.trim()));
        Some((name, via.filter(|one| !one.is_empty()).collect()))
    };
    printed.lines().filter_map(line).collect()
}

/// A file of a version, as a lock file names it.
struct FoundFile {
    name: String,
    hash: String,
}

impl FoundFile {
    fn read(file: &Table) -> Option<FoundFile> {
        let text = |key: &str| file.get(key).and_then(|text| text.as_str());
        let name = text("name").map(Into::into).or_else(|| file_name(text("url")?))?;
        let hash = file.get("hashes")?.as_table()?.get("sha256")?.as_str()?;
        Some(FoundFile { name, hash: format!("sha256:{hash}") })
    }
}

/// Returns the list of requirements that a tool installs exactly the files of a closure from.
/// `package` is named in errors.
pub(super) fn requirements(
    package: &str,
    closure: &PackageClosure,
) -> Result<String, InstallError> {
    let mut lines = String::new();
    for (name, one) in &closure.packages {
        check(name, one).map_err(|reason| InstallError::UnusableClosure {
            package: package.into(),
            reason: format!("`{}` {reason}", cut(&escape(name), 120)),
        })?;
        lines += &format!("{name}=={} --hash={}\n", one.version, one.hash);
    }
    Ok(lines)
}

/// Returns the list of constraints that keeps a tool to the versions of a closure.
pub(super) fn constraints(package: &str, closure: &PackageClosure) -> Result<String, InstallError> {
    requirements(package, closure)?;
    let lines = closure.packages.iter().map(|(name, one)| format!("{name}=={}\n", one.version));
    Ok(lines.collect())
}

fn check(name: &str, package: &ClosurePackage) -> Result<(), &'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 200 || name.starts_with('-') || !name.chars().all(plain) {
        return Err("is not the name of a package");
    }
    if !is_version(&package.version) {
        return Err("has no exact version");
    }
    let hash = package.hash.strip_prefix("sha256:").unwrap_or_default();
    match hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(()),
        false => Err("has no hash"),
    }
}

/// Checks that the packages of a closure were installed, and no others. The tools have checked the
/// hashes of the files.
pub(super) fn check_installed(
    package: &Package,
    closure: &PackageClosure,
    all: &[Distribution],
) -> Result<(), InstallError> {
    let plain = |version: &str| version.to_ascii_lowercase().replace(['-', '_'], ".");
    let one = |name: &str, version: &str| (normalize(name), plain(version));
    let found: BTreeSet<_> = all.iter().map(|it| one(&it.name, it.version())).collect();
    let agreed: BTreeSet<_> =
        closure.packages.iter().map(|(name, it)| one(name, &it.version)).collect();
    let shown =
        |(name, version): &(String, String)| cut(&escape(&format!("{name} {version}")), 200);
    let mismatch = |agreed: String, found: String| InstallError::Mismatch {
        package: package.name.clone(),
        what: "a package that comes with it",
        agreed,
        found,
    };
    if let Some(more) = found.difference(&agreed).next() {
        return Err(mismatch(format!("{} not there", more.0), shown(more)));
    }
    match agreed.difference(&found).next() {
        Some(missing) => Err(mismatch(shown(missing), format!("{} not there", missing.0))),
        None => Ok(()),
    }
}

/// Checks that pip's report has exactly the files of a closure.
pub(super) fn check_report(
    package: &Package,
    closure: &PackageClosure,
    report: &PackageClosure,
) -> Result<(), InstallError> {
    let files = |closure: &PackageClosure| -> BTreeMap<String, String> {
        let one = |(name, one): (&String, &ClosurePackage)| {
            (name.clone(), format!("{} {}", one.version, one.hash))
        };
        closure.packages.iter().map(one).collect()
    };
    let (agreed, found) = (files(closure), files(report));
    let names: BTreeSet<&String> = agreed.keys().chain(found.keys()).collect();
    match names.into_iter().find(|name| agreed.get(*name) != found.get(*name)) {
        None => Ok(()),
        Some(name) => {
            let shown = |all: &BTreeMap<String, String>| {
                let one = all.get(name).map_or("not there", String::as_str);
                cut(&escape(&format!("{name} {one}")), 200)
            };
            Err(InstallError::Mismatch {
                package: package.name.clone(),
                what: "a package that comes with it",
                agreed: shown(&agreed),
                found: shown(&found),
            })
        }
    }
}

/// Removes the names of packages that are not installed.
fn keep_present_needs(closure: &mut PackageClosure) {
    let names: BTreeSet<String> = closure.packages.keys().cloned().collect();
    for (name, package) in &mut closure.packages {
        package.needs.retain(|needed| needed != name && names.contains(needed));
    }
}

/// Returns the name at the beginning of a requirement.
fn required_name(requirement: &str) -> &str {
    let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    &requirement[..end.unwrap_or(requirement.len())]
}

/// Returns the name of the file that a URL leads to.
fn file_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let name = Path::new(path).file_name()?.to_str()?.replace("%2B", "+").replace("%2b", "+");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+!".contains(c);
    (!name.is_empty() && name.len() <= 300 && name.chars().all(plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::platform::PythonPlatform;
    use super::{
        PackageClosure, check_report, constraints, of_lock, of_report, read_dependents,
        requirements,
    };
    use crate::install::package_tool::{Fetching, PackageTool};
    use crate::model::{Ecosystem, Package};
    use serde_json::json;
    use std::path::Path;
    use std::time::Duration;

    fn tool() -> PackageTool<'static> {
        let here = Path::new("/");
        PackageTool {
            name: "pip",
            program: here,
            variables: &[],
            keyless: &[],
            folder: here,
            doing: "resolve",
            package: "server",
            fetching: Fetching::Allowed,
            timeout: Duration::ZERO,
        }
    }

    fn hash(digit: &str) -> String {
        digit.repeat(64)
    }

    fn reported() -> PackageClosure {
        let one = |name: &str, file: &str, digit: &str, requires: &[&str]| {
            json!({
                "metadata": { "name": name, "version": "1.0", "requires_dist": requires },
                "download_info": {
                    "url": format!("https://files.example/{file}"),
                    "archive_info": { "hashes": { "sha256": hash(digit) } },
                },
            })
        };
        let requires = ["Base_Lib>=1; python_version > \"3\"", "trio; extra == \"trio\"", "Server"];
        let report = json!({ "install": [
            one("Server", "server-1.0-py3-none-any.whl", "a", &requires),
            one("base.lib", "base_lib-1.0%2Bx-py3-none-any.whl", "b", &[]),
        ] });
        of_report(&tool(), &report).unwrap()
    }

    #[test]
    fn a_report_names_each_file_and_what_it_needs() {
        let closure = reported();
        let server = &closure.packages["server"];
        assert_eq!(server.needs, ["base-lib"]);
        assert_eq!(server.file.as_deref(), Some("server-1.0-py3-none-any.whl"));
        let base = &closure.packages["base-lib"];
        assert_eq!(base.file.as_deref(), Some("base_lib-1.0+x-py3-none-any.whl"));
        assert_eq!(
            requirements("server", &closure).unwrap(),
            format!(
                "base-lib==1.0 --hash=sha256:{}\nserver==1.0 --hash=sha256:{}\n",
                hash("b"),
                hash("a")
            )
        );
        assert_eq!(constraints("server", &closure).unwrap(), "base-lib==1.0\nserver==1.0\n");
    }

    #[test]
    fn a_lock_of_uv_says_the_same_as_a_report_of_pip() {
        let file = |name: &str, digit: &str| {
            format!(
                "{{ url = \"https://files.example/{name}\", hashes = {{ sha256 = \"{}\" }} }}",
                hash(digit)
            )
        };
        let text = format!(
            "[[packages]]\nname = \"server\"\nversion = \"1.0\"\nwheels = [{}, {}]\n\
            [[packages]]\nname = \"base-lib\"\nversion = \"1.0\"\nwheels = [{}]\n",
            file("server-1.0-cp39-cp39-linux_x86_64.whl", "c"),
            file("server-1.0-py3-none-any.whl", "a"),
            file("base_lib-1.0%2Bx-py3-none-any.whl", "b"),
        );
        let printed = "base-lib==1.0    # via server\nserver==1.0      # via -r asked.txt\n";
        let platform = PythonPlatform::sample("linux-x86_64", ("glibc", "2.36"));
        let lock = text.parse().unwrap();
        let closure = of_lock(&tool(), &lock, &platform, &read_dependents(printed)).unwrap();
        assert_eq!((closure.digest(), &closure), (reported().digest(), &reported()));
        let other = PythonPlatform::sample("linux-x86_64", ("glibc", "2.36"));
        let nothing = "[[packages]]\nname = \"server\"\nversion = \"1.0\"\n".parse().unwrap();
        assert!(of_lock(&tool(), &nothing, &other, &read_dependents("")).is_err());
    }

    #[test]
    fn another_file_than_the_agreed_one_is_refused() {
        let agreed = Package::new("s", Ecosystem::Pypi, "server", "1.0", "files.example", "uvx");
        let check = |change: fn(&mut PackageClosure)| {
            let mut found = reported();
            change(&mut found);
            check_report(&agreed, &reported(), &found).map_err(|error| error.to_string())
        };
        assert_eq!(check(|_| {}), Ok(()));
        assert!(check(|all| drop(all.packages.remove("base-lib"))).is_err());
        assert!(check(|all| all.packages.get_mut("base-lib").unwrap().hash.push('0')).is_err());
        let more = |all: &mut PackageClosure| {
            let one = all.packages["server"].clone();
            all.packages.insert("evil".into(), one);
        };
        assert!(check(more).unwrap_err().contains("`evil 1.0 sha256:"));
    }

    #[test]
    fn what_could_mean_something_else_than_a_file_of_an_index_is_refused() {
        for (name, version, hash) in [
            ("a @ https://evil.example/x", "1.0", hash("a")),
            ("-r", "1.0", hash("a")),
            ("a", "1.0 --index-url x", hash("a")),
            ("a", "1.0", "a".into()),
            ("a", "1.0", format!("{}\n-e .", hash("a"))),
        ] {
            let mut closure = reported();
            let mut one = closure.packages["server"].clone();
            one.version = version.into();
            one.hash = format!("sha256:{hash}");
            closure.packages.insert(name.into(), one);
            assert!(requirements("server", &closure).is_err(), "{name} {version}");
        }
    }
}
