//! A clean place to run the `pml` binary in: an empty environment, a home of its own, a folder that
//! goes away.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A folder and a binary.
pub struct TestEnv {
    folder: TempDir,
    /// Beside the folder, which is the project: a state folder in a project is refused.
    state: TempDir,
    /// Beside the folder too, for the same reason.
    cache: TempDir,
    binary: PathBuf,
}

/// What a command printed, and how it ended.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "look at what it printed"]
pub struct Output {
    /// What went to stdout.
    pub stdout: String,
    /// What went to stderr, with the test's folder shown as `$TEST_ENV`, and what its state folder
    /// is in as `$TEST_STATE`.
    pub stderr: String,
    /// The exit code; -1 if a signal ended it.
    pub code: i32,
}

impl TestEnv {
    /// Makes a folder to run `binary` in.
    pub fn new(binary: impl Into<PathBuf>) -> TestEnv {
        let folder = TempDir::new().expect("a temporary folder");
        let state = TempDir::new().expect("a temporary folder");
        let cache = TempDir::new().expect("a temporary folder");
        TestEnv { folder, state, cache, binary: binary.into() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The state folder of whoever runs the binary.
    pub fn state(&self) -> PathBuf {
        self.state_home().join("pml")
    }

    /// What `XDG_STATE_HOME` names.
    pub fn state_home(&self) -> &Path {
        self.state.path()
    }

    /// What `XDG_CACHE_HOME` names.
    pub fn cache_home(&self) -> &Path {
        self.cache.path()
    }

    /// The folder of installed packages; there or not.
    pub fn packages(&self) -> PathBuf {
        self.cache_home().join("pml/packages")
    }

    /// The installed packages, sorted: the folder of each, which has its files in `tree`.
    pub fn installed(&self) -> Vec<PathBuf> {
        let visible = |folder: PathBuf| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let entries = entries.filter(|it| !it.file_name().to_string_lossy().starts_with('.'));
            entries.map(|entry| entry.path()).collect()
        };
        let mut all: Vec<_> = visible(self.packages()).into_iter().flat_map(visible).collect();
        all.sort();
        all
    }

    /// The folder of the project's journal; there or not.
    pub fn journal(&self) -> PathBuf {
        self.journal_of(self.path())
    }

    /// The folder of the journal of a project that is elsewhere.
    pub fn journal_of(&self, project: &Path) -> PathBuf {
        let environment: pml::Environment =
            [("XDG_STATE_HOME", self.state_home().to_string_lossy())].into_iter().collect();
        pml::project::ProjectJournal::of(project, &environment).expect("a state folder").folder()
    }

    /// The binary.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Writes a file into the folder, with the folders above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The command, with nothing of the outer environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).current_dir(self.path()).env_clear();
        command.env("HOME", self.path()).env("XDG_STATE_HOME", self.state_home());
        command.env("XDG_CACHE_HOME", self.cache_home());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let child = self.command(arguments).spawn().expect("the binary starts");
        self.finish(child)
    }

    /// Runs the binary to its end with a text on its stdin.
    pub fn run_with_stdin(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child =
            self.command(arguments).stdin(Stdio::piped()).spawn().expect("the binary starts");
        match child.stdin.take().expect("piped").write_all(stdin.as_bytes()) {
            // A command that refuses its arguments ends without reading.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("{error}"),
            _ => {}
        }
        self.finish(child)
    }

    /// Returns a text with the folders of this environment replaced by `$TEST_ENV`, `$TEST_STATE`
    /// and `$TEST_CACHE`.
    pub fn without_folders(&self, text: &str) -> String {
        let folder = self.path().canonicalize().expect("the folder is there");
        let state = self.state.path().canonicalize().expect("the folder is there");
        let cache = self.cache.path().canonicalize().expect("the folder is there");
        let text = text.replace(&*state.to_string_lossy(), "$TEST_STATE");
        let text = text.replace(&*cache.to_string_lossy(), "$TEST_CACHE");
        let text = text.replace(&*folder.to_string_lossy(), "$TEST_ENV");
        text.replace(&*self.path().to_string_lossy(), "$TEST_ENV")
    }

    /// Waits for a child of [`TestEnv::command`].
    pub fn finish(&self, child: Child) -> Output {
        let output = child.wait_with_output().expect("the binary ends");
        let text = |bytes: Vec<u8>| {
            self.without_folders(&String::from_utf8(bytes).expect("output is UTF-8"))
        };
        Output {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

/// Installed packages are read-only, so the folder that they are in could not be removed.
impl Drop for TestEnv {
    fn drop(&mut self) {
        make_writable(self.cache.path());
    }
}

/// Makes a folder and all those in it writable. One that cannot be changed is left behind.
fn make_writable(folder: &Path) {
    let Ok(found) = folder.symlink_metadata() else { return };
    let mut permissions = found.permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o700);
    #[cfg(not(unix))]
    permissions.set_readonly(false);
    let _ = std::fs::set_permissions(folder, permissions);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
