//! Groups of packages, each in a folder of its own in the cache, so that a test installs only what
//! it needs.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where packages come from.
#[derive(Clone, Copy)]
pub(super) enum Registry {
    Npm,
    PyPi,
}

/// Packages that are installed together.
pub(super) struct Group {
    /// Names the folder.
    pub(super) name: &'static str,
    pub(super) registry: Registry,
    /// Names with exact versions, as the registry's own tool takes them.
    pub(super) packages: &'static [&'static str],
}

/// A group of packages from npm.
pub(super) const fn npm(name: &'static str, packages: &'static [&'static str]) -> Group {
    Group { name, registry: Registry::Npm, packages }
}

impl Group {
    /// The folder of the group, installed if it was not.
    pub(super) fn folder(&self) -> PathBuf {
        let cache = cache();
        let folder = cache.join(self.folder_name());
        if folder.exists() {
            return folder;
        }
        fs::create_dir_all(&cache).unwrap_or_else(|error| panic!("{}: {error}", cache.display()));
        let lock = File::create(cache.join(format!("{}.lock", self.name))).expect("a lock file");
        lock.lock().expect("the lock");
        // Whoever held the lock may have done it.
        if !folder.exists() {
            self.install(&cache, &folder);
        }
        folder
    }

    /// Other versions are another folder: worktrees that differ in them can share a cache.
    fn folder_name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.packages.hash(&mut hasher);
        format!("{}-{:016x}", self.name, hasher.finish())
    }

    fn install(&self, cache: &Path, folder: &Path) {
        let unfinished = cache.join(format!("{}.unfinished", self.folder_name()));
        // Left by a process that was killed: nobody else works on it while the lock is ours.
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).expect("what is unfinished can be removed");
        }
        fs::create_dir(&unfinished).expect("a folder");
        match self.registry {
            Registry::Npm => install_from_npm(&unfinished, self.packages),
            Registry::PyPi => install_from_pypi(&unfinished, self.packages),
        }
        fs::rename(&unfinished, folder).expect("the folder is still free");
    }
}

/// `$PML_TEST_CACHE`, or a folder beside what cargo builds.
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
pub(super) fn cache() -> PathBuf {
    if let Some(named) = std::env::var_os("PML_TEST_CACHE") {
        return PathBuf::from(named);
    }
    let tests = std::env::current_exe().expect("this test");
    tests.ancestors().nth(3).expect("target/release/deps/test").join("test-cache")
}

fn install_from_npm(folder: &Path, packages: &[&str]) {
    fs::write(folder.join("package.json"), "{ \"private\": true }\n").expect("a file");
    let mut command = Command::new("npm");
    command.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    finish(
        command.args(["--save-exact", "--prefix"]).arg(folder).args(packages).current_dir(folder),
    );
}

/// A virtual environment stands a change of its name, as long as only its `python` is used: the
/// scripts beside it name the folder that they were installed into.
fn install_from_pypi(folder: &Path, packages: &[&str]) {
    finish(Command::new("python3").args(["-m", "venv"]).arg(folder));
    let mut command = Command::new(folder.join("bin/python"));
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    finish(command.args(packages).current_dir(folder));
}

fn finish(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
}

#[cfg(test)]
mod tests {
    use super::npm;

    #[test]
    fn other_versions_are_another_folder() {
        let of = |packages| npm("x", packages).folder_name();
        assert_eq!(of(&["a@1"]), of(&["a@1"]));
        assert_ne!(of(&["a@1"]), of(&["a@2"]));
    }
}
