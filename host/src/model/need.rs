//! What has to be there before a call can be made, and that only a person can give.

use super::{AskKind, Constraint, Difference};
use serde::{Deserialize, Serialize};

/// What a call lacks. An answer to an ask about it is an answer to exactly this: another version,
/// another variable or another change is another ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Need {
    /// The server's package is not installed.
    Install(Package),
    /// Variables that the server declares are not set.
    Variables(MissingVariables),
    /// The project's files say how to get at the server, and nobody has trusted them.
    Trust(TrustNeed),
    /// The tool is not what it was when it was decided about, or last called.
    Change(ToolChange),
}

impl Need {
    /// Returns what kind of ask it makes.
    pub fn kind(&self) -> AskKind {
        match self {
            Need::Install(package) if package.changed => AskKind::Integrity,
            Need::Install(_) => AskKind::Dependency,
            Need::Variables(_) => AskKind::ApiKeyRequired,
            Need::Trust(_) => AskKind::Trust,
            Need::Change(_) => AskKind::Integrity,
        }
    }
}

/// Where packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ecosystem {
    /// npm's.
    Npm,
    /// Python's.
    Pypi,
}

/// A package of one exact version. All of it is the registry's own word, bounded; it is escaped
/// where it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Package {
    /// The server that needs it.
    pub server: String,
    /// Where it comes from.
    pub ecosystem: Ecosystem,
    /// Its name there.
    pub name: String,
    /// The version that was resolved.
    pub version: String,
    /// Bytes of the package itself, where the registry says; what it depends on comes on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// What it is fetched from, without what may be secret.
    pub source: String,
    /// What the registry says that it hashes to, in the registry's own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<String>,
    /// The launch line that asks for it, as written.
    pub install: String,
    /// Packages that come with it because the launch line says so, each in one exact version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The program that is started, where the launch line names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The package whose program is started: this one, or one of those that come with it. Older
    /// records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_of: Option<String>,
    /// Whether code of it may run while it is installed.
    #[serde(default)]
    pub scripts: bool,
    /// Whether it was installed before, and is no longer what it was.
    #[serde(default)]
    pub changed: bool,
}

impl Package {
    /// Returns the package whose program is started, where that is not this one.
    pub fn starts_other(&self) -> Option<&str> {
        self.program_of.as_deref().filter(|name| *name != self.name)
    }

    /// Returns a package of which no more is known.
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
    /// Returns variables that `server` lacks.
    pub fn new(
        server: impl Into<String>,
        names: Vec<String>,
        file: impl Into<String>,
    ) -> MissingVariables {
        MissingVariables { server: server.into(), names, file: file.into() }
    }
}

/// Files that nobody has trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrustNeed {
    /// The project's folder.
    pub folder: String,
    /// What the files hash to, each by its name: they are trusted as these, or not at all.
    pub files: Vec<(String, String)>,
    /// Why they do not count.
    pub reason: String,
    /// What they would start or reach, allow and loosen, a line each.
    pub would: Vec<String>,
}

impl TrustNeed {
    /// Returns files of `folder` that nobody has trusted.
    pub fn new(
        folder: impl Into<String>,
        files: Vec<(String, String)>,
        reason: impl Into<String>,
        would: Vec<String>,
    ) -> TrustNeed {
        TrustNeed { folder: folder.into(), files, reason: reason.into(), would }
    }
}

/// How a tool differs from what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChange {
    /// Since when: a grant, or a call of the run.
    pub since: ChangeBaseline,
    /// Every part that differs, as far as the earlier one is at hand.
    pub differences: Vec<Difference>,
    /// The conditions of the grant of an older pml that lapsed: an answer for good takes its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<Constraint>,
}

impl ToolChange {
    /// Returns a change.
    pub fn new(since: ChangeBaseline, differences: Vec<Difference>) -> ToolChange {
        ToolChange { since, differences, was: Vec::new() }
    }

    /// Returns the change with the conditions of the grant that lapsed.
    pub fn with_conditions(self, was: Vec<Constraint>) -> ToolChange {
        ToolChange { was, ..self }
    }
}

/// What a tool differs from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeBaseline {
    /// From what somebody allowed for good.
    Grant,
    /// From what an earlier call of the run went to.
    EarlierCall,
    /// From what was shown when the call was decided about.
    Decision,
}
