//! A registry with packages that no real one would keep: `tests/kit/fakes/fake_registry.py`, as a
//! process.

use crate::tree::{files_under, project_root};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A fake registry, gone when it is dropped.
pub struct FakeRegistry {
    folder: TempDir,
    process: Child,
    port: u16,
}

impl FakeRegistry {
    /// Starts one with the packages of a folder. What is in its `repository` becomes a git
    /// repository.
    pub fn start(packages: &Path) -> FakeRegistry {
        let folder = TempDir::new().expect("a folder");
        let (marker, repository) = (folder.path().join("marker"), folder.path().join("repository"));
        let address = format!("git+file://{}", repository.display());
        copy(&packages.join("repository"), &repository, |text| {
            text.replace("@MARKER@", &marker.to_string_lossy()).replace("@REPOSITORY@", &address)
        });
        commit(&repository);
        let mut process = Command::new("python3")
            .arg(project_root().join("tests/kit/fakes/fake_registry.py"))
            .args([packages, &marker])
            .arg(&address)
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is installed");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("it says its port");
        FakeRegistry { folder, process, port }
    }

    /// Its port on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A folder of the test's own, outside of any project.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file that packages write if their code runs.
    pub fn marker(&self) -> PathBuf {
        self.folder.path().join("marker")
    }

    /// What packages wrote, and nothing if no code of theirs has run.
    pub fn written(&self) -> String {
        fs::read_to_string(self.marker()).unwrap_or_default()
    }

    /// Every request so far, a line of JSON each.
    pub fn requests(&self) -> String {
        fs::read_to_string(self.folder.path().join("requests.log")).unwrap_or_default()
    }
}

impl Drop for FakeRegistry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn copy(from: &Path, to: &Path, change: impl Fn(&str) -> String) {
    for file in files_under(from) {
        let target = to.join(file.strip_prefix(from).expect("below it"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::copy(&file, &target).expect("a copy, with its mode");
        fs::write(&target, change(&fs::read_to_string(&file).expect("text"))).expect("a file");
    }
}

fn commit(folder: &Path) {
    let name = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"];
    for words in [vec!["init", "-q"], vec!["add", "-A"], vec!["commit", "-q", "-m", "all"]] {
        let ended = Command::new("git").args(name).args(words).current_dir(folder).status();
        assert!(ended.expect("git is installed").success());
    }
}
