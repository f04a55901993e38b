//! One exact version of a package, as a registry names it.
//!
//! **Invariant:** every text in it has a bounded length, and name and version can be parts of a
//! path.

use super::error::InstallError;
use super::spec::{InstallScripts, PackageSpec};
use crate::install::package_tool::PackageTool;
use crate::model::{Package, PackageClosure, cut};

/// Maximum length of an integrity text. All real ones are shorter.
const MAX_INTEGRITY: usize = 2_000;

/// Versions that are decided before a registry is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PinnedVersions {
    /// That of the package itself.
    pub(super) version: String,
    /// Those of the packages that belong to it, as far as they are known.
    pub(super) closure: PackageClosure,
}

/// The registry's data about one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResolvedVersion {
    pub(super) version: String,
    pub(super) size: Option<u64>,
    pub(super) source: String,
    pub(super) integrity: Option<String>,
    /// The package whose program is started.
    pub(super) program_of: String,
    /// The platform that the closure is for.
    pub(super) platform: String,
    /// The packages that are installed for it, itself included.
    pub(super) closure: PackageClosure,
}

impl ResolvedVersion {
    /// Returns the version if it has a valid form.
    pub(super) fn validated(self, tool: &PackageTool<'_>) -> Result<ResolvedVersion, InstallError> {
        if !is_version(&self.version) {
            return Err(tool.unreadable(&format!("`{}` is no version", cut(&self.version, 40))));
        }
        if self.integrity.as_ref().is_some_and(|text| text.len() > MAX_INTEGRITY) {
            return Err(tool.unreadable("what it hashes to is too long"));
        }
        Ok(self)
    }

    /// Returns the package for a server.
    pub(super) fn package(&self, server: &str, spec: &PackageSpec, line: &str) -> Package {
        let (ecosystem, name) = (spec.ecosystem(), &spec.package().name);
        let mut package = Package::new(server, ecosystem, name, &self.version, &self.source, line);
        package.size = self.size;
        package.integrity = self.integrity.clone();
        package.beside = spec.beside().iter().map(ToString::to_string).collect();
        package.program = spec.program().map(Into::into);
        package.program_of = Some(self.program_of.clone());
        package.scripts = spec.scripts() == InstallScripts::Allowed;
        package.closure = Some(self.closure.digest());
        package.packages = Some(self.closure.count_on_this_machine());
        package
    }
}

/// Reports whether a text can be a version. It becomes part of a path and of a command line.
pub(super) fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".+!_-".contains(c);
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(plain)
        && !text.contains("..")
}

/// Returns the host of a URL, without the parts that may be secret.
pub(super) fn host(url: &str) -> String {
    match url.split_once("://") {
        Some(("http" | "https", rest)) => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            cut(host.rsplit('@').next().unwrap_or_default(), 200)
        }
        _ => "this machine".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{host, is_version};

    #[test]
    fn a_version_is_safe_in_a_path() {
        for good in ["1.2.3", "2026.8.31", "1.0.0-beta.1+x", "1!2.0", "0"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["", "latest", "1/2", "1..2", "1 2", "-1", "1\u{202e}", &"1".repeat(200)] {
            assert!(!is_version(bad), "{bad}");
        }
    }

    #[test]
    fn a_source_is_a_host_without_a_password() {
        assert_eq!(host("https://me:key@registry.example:8080/x?token=1"), "registry.example:8080");
        assert_eq!(host("file:///wheels/x.whl"), "this machine");
    }
}
