//! Needs: what a tool lacks before it can be called, and only a person can provide.

use super::{AskKind, Constraint, Difference};
use serde::{Deserialize, Serialize};

/// A thing that a call lacks. An answer to an ask about it covers exactly this need: another
/// version, another variable or another change is another ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Need {
    /// The server's package is not installed.
    Install(Package),
    /// Variables that the server declares are not set.
    Variables(MissingVariables),
    /// The project's files define the server, and this user has not trusted them.
    Trust(TrustNeed),
    /// The tool has changed since it was decided about, or last called.
    Change(ToolChange),
}

impl Need {
    /// Returns the kind of ask that it leads to.
    pub fn kind(&self) -> AskKind {
        match self {
            Need::Install(package) if package.changed || !package.replaces.is_empty() => {
                AskKind::Integrity
            }
            Need::Install(_) => AskKind::Dependency,
            Need::Variables(_) => AskKind::ApiKeyRequired,
            Need::Trust(_) => AskKind::Trust,
            Need::Change(_) => AskKind::Integrity,
        }
    }
}

/// A package registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ecosystem {
    /// The registry of npm.
    Npm,
    /// The registry of Python.
    Pypi,
}

/// A package in one exact version. All fields come from the registry, within bounds, and are
/// escaped where they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Package {
    /// The server that needs it.
    pub server: String,
    /// The registry that it comes from.
    pub ecosystem: Ecosystem,
    /// Its name in the registry.
    pub name: String,
    /// The version that was resolved.
    pub version: String,
    /// Bytes of the package itself, if the registry states them; its dependencies come on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The address that it is fetched from, without parts that may be secret.
    pub source: String,
    /// Its hash according to the registry, in the registry's own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<String>,
    /// The launch line that needs it, as written.
    pub install: String,
    /// Further packages that the launch line names, each in one exact version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The program that is started, if the launch line names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The package whose program is started: this one, or one of those in `beside`. Older records
    /// do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_of: Option<String>,
    /// Whether code of the package may run while it is installed.
    #[serde(default)]
    pub scripts: bool,
    /// Whether it was installed before and has changed since.
    #[serde(default)]
    pub changed: bool,
    /// How it differs from what was locked or approved for the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<Difference>,
    /// The digest of all packages that are installed for it, in exact versions. Older records do
    /// not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closure: Option<String>,
    /// How many packages that are, itself included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packages: Option<u64>,
}

impl Package {
    /// Returns the package whose program is started, or `None` if it is this one.
    pub fn starts_other(&self) -> Option<&str> {
        self.program_of.as_deref().filter(|name| *name != self.name)
    }

    /// Returns how many packages are installed beside it, or `None` if that is not known.
    pub fn further_packages(&self) -> Option<u64> {
        self.packages.map(|all| all.saturating_sub(1))
    }

    /// Returns a package with the required fields only.
    pub fn new(
        server: impl Into<String>,
        ecosystem: Ecosystem,
        name: impl Into<String>,
        version: impl Into<String>,
        source: impl Into<String>,
        install: impl Into<String>,
    ) -> Package {
        Package {
            server: server.into(),
            ecosystem,
            name: name.into(),
            version: version.into(),
            size: None,
            source: source.into(),
            integrity: None,
            install: install.into(),
            beside: Vec::new(),
            program: None,
            program_of: None,
            scripts: false,
            changed: false,
            replaces: Vec::new(),
            closure: None,
            packages: None,
        }
    }
}

/// Variables that are not set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MissingVariables {
    /// The server that declares them.
    pub server: String,
    /// Their names.
    pub names: Vec<String>,
    /// The file that they can be written into.
    pub file: String,
}

impl MissingVariables {
    /// Returns the variables that `server` lacks.
    pub fn new(
        server: impl Into<String>,
        names: Vec<String>,
        file: impl Into<String>,
    ) -> MissingVariables {
        MissingVariables { server: server.into(), names, file: file.into() }
    }
}

/// Files of a project that this user has not trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrustNeed {
    /// The project's folder.
    pub folder: String,
    /// Name and digest of each file: exactly this content is trusted, or none.
    pub files: Vec<(String, String)>,
    /// The reason why they are not trusted.
    pub reason: String,
    /// What they would start, reach, allow and loosen, one line each.
    pub would: Vec<String>,
}

impl TrustNeed {
    /// Returns the untrusted files of `folder`.
    pub fn new(
        folder: impl Into<String>,
        files: Vec<(String, String)>,
        reason: impl Into<String>,
        would: Vec<String>,
    ) -> TrustNeed {
        TrustNeed { folder: folder.into(), files, reason: reason.into(), would }
    }
}

/// The change of a tool since an earlier moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChange {
    /// The earlier moment: a grant, a call of the run, or a decision.
    pub since: ChangeBaseline,
    /// Every part that differs, as far as the earlier definition is available.
    pub differences: Vec<Difference>,
    /// The conditions of a lapsed grant of an older pml: a permanent answer replaces it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<Constraint>,
    /// The server itself, if it has changed and is not started before somebody agrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ChangedServer>,
}

/// A server that is not what was locked or approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChangedServer {
    /// Its name.
    pub name: String,
    /// The digest of its entry as it is now: exactly this is agreed to.
    pub digest: String,
}

impl ToolChange {
    /// Returns a change.
    pub fn new(since: ChangeBaseline, differences: Vec<Difference>) -> ToolChange {
        ToolChange { since, differences, was: Vec::new(), server: None }
    }

    /// Returns the change of a server that is not started before somebody agrees.
    pub(crate) fn before_start_of(self, server: ChangedServer) -> ToolChange {
        ToolChange { server: Some(server), ..self }
    }

    /// Returns the change with the conditions of the grant that lapsed.
    pub fn with_conditions(self, was: Vec<Constraint>) -> ToolChange {
        ToolChange { was, ..self }
    }
}

/// The earlier moment that a tool is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeBaseline {
    /// When a grant was given.
    Grant,
    /// When the run made an earlier call.
    EarlierCall,
    /// When the call was decided about.
    Decision,
    /// When the lock was written.
    Lock,
    /// When this user last approved it.
    Approval,
}
