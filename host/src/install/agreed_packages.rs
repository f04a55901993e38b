//! The packages that this user agreed to, by project and server.
//!
//! Packages are installed once for all projects, so their presence is no approval: a server is
//! started from one only if its own project is listed here with exactly that package. The list
//! lies in the user's state folder, which no project can change.

use super::error::InstallError;
use crate::disk::user_files::{display_path, lock, make_private_folder, read_own, replace};
use crate::error::Error;
use crate::model::{Code, Package, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum size: enough for ten thousands of servers.
const STORE_SIZE: u64 = 32 << 20;

/// The newest format of the file.
const VERSION: u32 = 1;

/// What was agreed to for one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AgreedPackage {
    /// The request: the digest of everything in the launch line that determines what is installed.
    pub(super) spec: String,
    /// The package that was shown.
    pub(super) package: Package,
    /// The digest of the closure that was installed.
    pub(super) closure: String,
    /// The platform of the closure.
    pub(super) platform: String,
    /// The name of the entry in the package cache.
    pub(super) entry: String,
    /// When it was agreed to.
    pub(super) agreed_at: Timestamp,
}

/// The list of agreements.
#[derive(Clone, Debug)]
pub(super) struct AgreedPackages {
    folder: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct AgreedPackagesFile {
    version: u32,
    /// By the project's canonical path, then by the server's name.
    projects: BTreeMap<String, BTreeMap<String, AgreedPackage>>,
}

impl AgreedPackages {
    /// Returns the list in the user's state folder.
    pub(super) fn in_state(state: &Path) -> AgreedPackages {
        AgreedPackages { folder: state.into() }
    }

    /// Returns what was agreed to for a server of the project in `root`.
    pub(super) fn of_server(
        &self,
        root: &Path,
        server: &str,
    ) -> Result<Option<AgreedPackage>, InstallError> {
        let mut stored = self.load()?;
        Ok(stored.projects.get_mut(&key(root)).and_then(|servers| servers.remove(server)))
    }

    /// Records an agreement, in place of an earlier one.
    pub(super) fn record(&self, root: &Path, agreed: AgreedPackage) -> Result<(), InstallError> {
        make_private_folder(&self.folder).map_err(InstallError::State)?;
        let _lock = lock(&self.folder.join("packages.lock")).map_err(InstallError::State)?;
        let mut stored = self.load()?;
        let servers = stored.projects.entry(key(root)).or_default();
        servers.insert(agreed.package.server.clone(), agreed);
        stored.version = VERSION;
        let text = serde_json::to_string_pretty(&stored).map_err(|error| {
            let message = "cannot write the list of packages";
            InstallError::State(Error::new(Code::Internal, message).with_source(error))
        })?;
        replace(&self.path(), (text + "\n").as_bytes()).map_err(InstallError::State)
    }

    /// Returns all agreements of projects that still exist.
    pub(super) fn of_existing_projects(&self) -> Result<Vec<AgreedPackage>, InstallError> {
        let stored = self.load()?;
        let existing = stored.projects.into_iter().filter(|(root, _)| Path::new(root).is_dir());
        Ok(existing.flat_map(|(_, servers)| servers.into_values()).collect())
    }

    fn path(&self) -> PathBuf {
        self.folder.join("packages.json")
    }

    fn load(&self) -> Result<AgreedPackagesFile, InstallError> {
        let path = self.path();
        let read = read_own(&path, STORE_SIZE).map_err(InstallError::State)?;
        let Some(file) = read else { return Ok(AgreedPackagesFile::default()) };
        let refuse = |message: &str| {
            Error::new(Code::Config, format!("{message}: {}", display_path(&path)))
                .with_hint("move the file away: each package is then asked about once more")
        };
        let stored: AgreedPackagesFile = serde_json::from_slice(&file.bytes).map_err(|error| {
            let message = "the list of packages that you agreed to is damaged";
            InstallError::State(refuse(message).with_source(error))
        })?;
        match stored.version {
            0..=VERSION => Ok(stored),
            _ => Err(InstallError::State(refuse(
                "the list of packages that you agreed to was written by a newer pml",
            ))),
        }
    }
}

/// Returns the key of a project. Paths that are not Unicode are told apart by their bytes.
fn key(root: &Path) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.into());
    match root.to_str() {
        Some(path) => path.into(),
        None => format!("{:?}", root.as_os_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::{AgreedPackage, AgreedPackages};
    use crate::model::{Ecosystem, Package, Timestamp};

    fn agreed(server: &str) -> AgreedPackage {
        let source = "registry.example";
        AgreedPackage {
            spec: "s".into(),
            package: Package::new(server, Ecosystem::Npm, "x", "1.0.0", source, "npx x"),
            closure: "c".into(),
            platform: "any".into(),
            entry: "npm/x@1.0.0".into(),
            agreed_at: Timestamp(1),
        }
    }

    #[test]
    fn an_agreement_is_for_one_server_of_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("here"), folder.path().join("there"));
        std::fs::create_dir(&here).unwrap();
        std::fs::create_dir(&there).unwrap();
        let all = AgreedPackages::in_state(&folder.path().join("state"));
        assert_eq!(all.of_server(&here, "a").unwrap(), None);
        all.record(&here, agreed("a")).unwrap();
        assert_eq!(all.of_server(&here, "a").unwrap(), Some(agreed("a")));
        assert_eq!(all.of_server(&here, "b").unwrap(), None);
        assert_eq!(all.of_server(&there, "a").unwrap(), None);
        all.record(&there, agreed("a")).unwrap();
        assert_eq!(all.of_existing_projects().unwrap().len(), 2);
        std::fs::remove_dir(&there).unwrap();
        assert_eq!(all.of_existing_projects().unwrap().len(), 1);
    }

    #[test]
    fn a_damaged_list_is_an_error_and_not_empty() {
        let folder = tempfile::tempdir().unwrap();
        let all = AgreedPackages::in_state(folder.path());
        for text in ["{", "{ \"version\": 2, \"projects\": {} }"] {
            std::fs::write(all.path(), text).unwrap();
            assert!(all.of_server(folder.path(), "a").is_err());
            assert!(all.record(folder.path(), agreed("a")).is_err());
        }
    }
}
