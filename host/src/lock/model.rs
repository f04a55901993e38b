//! What a lock says: the servers of a project, and the tools of them that were used.

use crate::model::{ANY_PLATFORM, PackageClosure, PinnedPackage, digest};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Everything that a project's programs may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lock {
    /// The servers, by name.
    pub servers: BTreeMap<String, LockedServer>,
}

/// One server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockedServer {
    /// Its kind.
    pub kind: LockedServerKind,
    /// Its launch line or URL as the settings have it, without keys.
    pub launch: String,
    /// The folder that it runs in, as the settings have it.
    pub folder: Option<String>,
    /// The variables or headers that it gets: names, and the values of those that steer what is
    /// loaded.
    pub given: Vec<String>,
    /// Whether code of its package may run while it is installed.
    pub install_scripts: bool,
    /// The package that it is started from. `None` if it is none, or not resolved yet.
    pub package: Option<PinnedPackage>,
    /// The files of the project that its launch line names, each with its sha256.
    pub files: BTreeMap<String, String>,
    /// The definitions of its tools that were used, each by its sha256.
    pub tools: BTreeMap<String, String>,
}

/// The kind of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockedServerKind {
    /// It is started from a package of a registry.
    Package,
    /// It is a command of this machine.
    Command,
    /// It is reached by its URL.
    Remote,
}

impl LockedServerKind {
    /// All kinds.
    pub(super) const ALL: [LockedServerKind; 3] =
        [LockedServerKind::Package, LockedServerKind::Command, LockedServerKind::Remote];

    /// Returns the kind as the file has it.
    pub fn as_str(self) -> &'static str {
        match self {
            LockedServerKind::Package => "package",
            LockedServerKind::Command => "command",
            LockedServerKind::Remote => "remote",
        }
    }
}

impl LockedServer {
    /// Returns a server without files, package and tools.
    pub fn new(kind: LockedServerKind, launch: impl Into<String>) -> LockedServer {
        LockedServer {
            kind,
            launch: launch.into(),
            folder: None,
            given: Vec::new(),
            install_scripts: false,
            package: None,
            files: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }

    /// Returns the sha256, in hex, of everything that decides what is started on this platform. The
    /// tools are not part of it.
    pub fn digest(&self, platform: &str) -> String {
        digest(&self.facts(platform))
    }

    /// Returns the platform that its packages are for, if it was made on this machine: then it has
    /// one closure at most.
    pub fn platform(&self) -> &str {
        let closures = self.package.iter().flat_map(|package| package.closures.keys());
        closures.map(String::as_str).next().unwrap_or(ANY_PLATFORM)
    }

    /// Returns the closure for this platform.
    pub fn closure(&self, platform: &str) -> Option<&PackageClosure> {
        let closures = &self.package.as_ref()?.closures;
        closures.get(ANY_PLATFORM).or_else(|| closures.get(platform))
    }

    /// Reports whether it says what is installed on this platform, if it is a package.
    pub fn covers_platform(&self, platform: &str) -> bool {
        self.kind != LockedServerKind::Package || self.closure(platform).is_some()
    }

    /// Returns the sha256, in hex, of the package that is started on this platform, if it is one.
    pub(crate) fn package_digest(&self, platform: &str) -> Option<String> {
        self.package.as_ref().map(|package| digest(&self.package_facts(package, platform)))
    }

    fn package_facts(&self, package: &PinnedPackage, platform: &str) -> Value {
        json!({
            "request": package.spec,
            "ecosystem": package.ecosystem,
            "name": package.name,
            "version": package.version,
            "integrity": package.integrity,
            "program_of": package.program_of,
            "packages": self.closure(platform).map(PackageClosure::digest),
        })
    }

    fn facts(&self, platform: &str) -> Value {
        let package = self.package.as_ref();
        let package = package.map(|package| self.package_facts(package, platform));
        json!({
            "kind": self.kind.as_str(),
            "launch": self.launch,
            "folder": self.folder,
            "given": self.given,
            "install_scripts": self.install_scripts,
            "package": package,
            "files": self.files,
        })
    }

    /// Takes the closures for other platforms, and the tools, from an earlier entry of the same
    /// server. What does not belong to the same package is left.
    pub fn keep_from(&mut self, earlier: &LockedServer) {
        for (tool, definition) in &earlier.tools {
            self.tools.entry(tool.clone()).or_insert_with(|| definition.clone());
        }
        if let (Some(package), Some(before)) = (&mut self.package, &earlier.package) {
            let same = package.spec == before.spec
                && package.ecosystem == before.ecosystem
                && package.name == before.name
                && package.version == before.version;
            if same {
                for (platform, closure) in &before.closures {
                    package.closures.entry(platform.clone()).or_insert_with(|| closure.clone());
                }
            }
        }
    }
}

impl Lock {
    /// Returns a lock with one server.
    pub fn with_server(name: impl Into<String>, server: LockedServer) -> Lock {
        Lock { servers: [(name.into(), server)].into() }
    }
}
