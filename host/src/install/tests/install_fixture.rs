//! A project with a fake npm, and the package in the fake's registry.

use super::CleanFolder;
use crate::config::Environment;
use crate::install::{Installer, PackageCache, PackageSpec};
use crate::model::{Ecosystem, Package};
use std::fs;
use std::path::{Path, PathBuf};

/// A project, a home folder, and a `PATH` that begins with a fake npm.
pub(super) struct InstallFixture {
    pub(super) folder: CleanFolder,
}

impl InstallFixture {
    pub(super) fn new() -> InstallFixture {
        let folder = CleanFolder::new();
        for name in ["project/.pml", "home", "bin"] {
            fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        let fixture = InstallFixture { folder };
        let host = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fake = host.parent().expect("the workspace").join("tests/kit/fakes/fake_npm.sh");
        std::os::unix::fs::symlink(fake, fixture.at("bin/npm")).expect("a link");
        fixture.set_versions(&["1.2.3"]);
        fixture
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn state(&self) -> PathBuf {
        self.at("project/.pml")
    }

    /// Changes what the fake does from here on.
    pub(super) fn set_mode(&self, mode: &str) {
        fs::write(self.at("bin/mode"), mode).expect("written");
    }

    /// Sets the versions that the fake's registry has.
    pub(super) fn set_versions(&self, versions: &[&str]) {
        let version = |version: &&str| {
            serde_json::json!({
                "name": "fake-server", "version": version,
                "dist": {
                    "integrity": "sha512-good", "unpackedSize": 123,
                    "tarball": "https://me:hunter2@registry.example/fake-server.tgz",
                },
            })
        };
        let all: Vec<_> = versions.iter().map(version).collect();
        let text = serde_json::to_string(&all).expect("JSON");
        fs::write(self.at("bin/view.json"), text).expect("written");
    }

    /// Returns the command lines of the fake that begin with `word`.
    pub(super) fn calls(&self, word: &str) -> Vec<String> {
        let calls = fs::read_to_string(self.at("bin/calls")).unwrap_or_default();
        calls.lines().filter(|line| line.starts_with(word)).map(Into::into).collect()
    }

    pub(super) fn environment(&self) -> Environment {
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        let home = self.at("home").display().to_string();
        [("PATH", path), ("HOME", home), ("GITHUB_TOKEN", "hunter2".into())].into_iter().collect()
    }

    /// Returns an installer that remembers nothing, like one in another process.
    pub(super) fn installer(&self) -> Installer {
        self.installer_of("project")
    }

    /// Returns the same for another project of the user.
    pub(super) fn installer_of(&self, project: &str) -> Installer {
        fs::create_dir_all(self.at(project)).expect("a folder");
        Installer::new(self.at(project), self.environment())
    }

    /// Returns the user's package cache.
    pub(super) fn cache(&self) -> PackageCache {
        PackageCache::of(&self.environment(), &self.at("project")).expect("a cache")
    }

    /// Returns the folders of all entries of the cache.
    pub(super) fn entries(&self) -> Vec<PathBuf> {
        let cache = self.cache();
        cache.names().iter().map(|name| cache.entry_folder(name)).collect()
    }

    /// Returns the folder with the files of the one package in the cache.
    pub(super) fn package_folder(&self) -> PathBuf {
        match self.entries().as_slice() {
            [one] => one.join("tree"),
            others => panic!("not one entry: {others:?}"),
        }
    }

    /// Returns what is in the `.work` of the cache besides locks.
    pub(super) fn unfinished(&self) -> Vec<String> {
        let work = self.cache().folder().join(".work");
        let entries = fs::read_dir(work).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.ends_with(".lock")).collect()
    }
}

pub(super) fn spec(line: &str) -> PackageSpec {
    let words: Vec<String> = line.split(' ').map(Into::into).collect();
    PackageSpec::parse(&words[0], &words[1..]).expect("understood").expect("a package")
}

/// The package in the fake's registry.
pub(super) fn agreed() -> Package {
    let source = "registry.example";
    let line = "npx fake-server";
    let mut package = Package::new("fake", Ecosystem::Npm, "fake-server", "1.2.3", source, line);
    package.integrity = Some("sha512-good".into());
    package
}

/// Overwrites a read-only file.
pub(super) fn overwrite(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is there");
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o444)).expect("it is there");
}
