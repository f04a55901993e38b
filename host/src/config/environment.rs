//! The variables of the process, and the folders that follow from them.
//!
//! **Invariant:** no other file of this room reads variables from the OS, so that a test can pass
//! its own.

use crate::error::Error;
use crate::model::{Code, Secret};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Variables that name certificates and proxies. Without them a started process hangs behind a
/// company's network.
pub(crate) const NETWORK: &[&str] = &[
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// The state folder that the user named on the command line. It belongs to the process, as
/// variables do, but no variable is set for it, so that started processes do not get it.
static CHOSEN_STATE_FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// The variables of a process. All count as secrets: their values are never printed.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, Secret>,
    /// Names of variables whose values are not Unicode.
    unreadable: BTreeSet<String>,
    /// The state folder, which takes precedence over the variables.
    state_folder: Option<PathBuf>,
}

impl Environment {
    /// Returns the variables of this process, with the state folder that its user chose. Variables
    /// that are not Unicode are left out.
    pub fn of_process() -> Environment {
        let own = Environment::from_os(std::env::vars_os());
        Environment { state_folder: CHOSEN_STATE_FOLDER.get().cloned(), ..own }
    }

    /// Returns the name of this user's account, whatever the variables say.
    pub fn account_name() -> Option<String> {
        super::account::name()
    }

    fn from_os(variables: impl Iterator<Item = (OsString, OsString)>) -> Environment {
        let mut own = Environment::default();
        for (name, value) in variables {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => drop(own.variables.insert(name, Secret::new(value))),
                Err(_) => drop(own.unreadable.insert(name)),
            }
        }
        own
    }

    /// Returns the same variables with another state folder than the one that they name.
    pub fn with_state_folder(self, folder: impl Into<PathBuf>) -> Environment {
        Environment { state_folder: Some(folder.into()), ..self }
    }

    /// Makes [`Environment::of_process`] use this state folder from now on; a relative one is taken
    /// from the current folder. Only the first call has an effect.
    pub fn choose_state_folder(folder: &Path) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
        let _ = CHOSEN_STATE_FOLDER.set(folder);
    }

    /// Returns the state folder that was set independently of the variables.
    pub(super) fn chosen_state_folder(&self) -> Option<PathBuf> {
        self.state_folder.clone()
    }

    /// Returns the value of a variable.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(Secret::reveal)
    }

    /// Returns the log directives in `PML_LOG`, or `None` if it is not set or empty.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn log_directives(&self) -> Result<Option<&str>, Error> {
        match self.unreadable.contains("PML_LOG") {
            true => Err(Error::new(Code::Config, "`PML_LOG` is not UTF-8")
                .with_hint("write a level: off, error, warn, info, debug or trace")),
            false => Ok(self.variable("PML_LOG").filter(|text| !text.is_empty())),
        }
    }

    /// Reports whether this process runs in continuous integration, by the variable that all such
    /// services set.
    pub fn is_continuous_integration(&self) -> bool {
        self.variable("CI").is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
    }

    /// Returns the variables whose names `wanted` accepts.
    pub(crate) fn pick(&self, wanted: impl Fn(&str) -> bool) -> Vec<(String, Secret)> {
        let picked = self.variables.iter().filter(|(name, _)| wanted(name));
        picked.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Returns the program that a command starts in `folder`, or `None` if there is none. If `path`
    /// is given, it is searched instead of `PATH`.
    pub fn program(&self, command: &str, folder: &Path, path: Option<&str>) -> Option<PathBuf> {
        if command.contains(std::path::MAIN_SEPARATOR) {
            return Some(folder.join(command)).filter(|file| is_program(file));
        }
        let folders = path.or_else(|| self.variable("PATH")).unwrap_or_default();
        let files = std::env::split_paths(folders).map(|place| folder.join(place).join(command));
        files.into_iter().find(|file| is_program(file))
    }

    /// Returns the user's home folder.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
    }

    /// Returns the folder that a variable names, or `None` if the path is relative.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// Reports whether a file can be started. On Windows an extension may follow its name.
fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    return file.metadata().is_ok_and(|found| {
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
        found.is_file() && mode & 0o111 != 0
    });
    #[cfg(not(unix))]
    ["", "exe", "cmd", "bat", "com"].iter().any(|end| file.with_extension(end).is_file())
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Environment {
        let secret = |(name, value): (N, V)| (name.into(), Secret::new(value));
        let variables = variables.into_iter().map(secret).collect();
        Environment { variables, ..Environment::default() }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[cfg(unix)]
    #[test]
    fn a_program_is_found_where_the_os_would_find_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let here = |name: &str| folder.path().join(name);
        std::fs::create_dir(here("bin")).unwrap();
        for (name, mode) in [("bin/serve", 0o755), ("bin/notes", 0o644)] {
            std::fs::write(here(name), "").unwrap();
            std::fs::set_permissions(here(name), PermissionsExt::from_mode(mode)).unwrap();
        }
        let path = format!("/nowhere:{}", here("bin").display());
        let environment: Environment = [("PATH", path.as_str())].into_iter().collect();
        let found = |command: &str| environment.program(command, folder.path(), None);
        assert_eq!(found("serve"), Some(here("bin/serve")));
        assert_eq!(found("./bin/serve").map(|file| file.exists()), Some(true));
        assert_eq!((found("notes"), found("nothing"), found("./serve")), (None, None, None));
        assert_eq!(environment.program("serve", folder.path(), Some("/nowhere")), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_is_not_utf8_is_an_error_and_not_ignored() {
        use std::os::unix::ffi::OsStringExt;
        let log = |value: &[u8]| {
            let value = std::ffi::OsString::from_vec(value.into());
            let environment = Environment::from_os([("PML_LOG".into(), value)].into_iter());
            environment.log_directives().map(|text| text.map(str::to_owned))
        };
        assert_eq!(log(b"debug").expect("it is UTF-8").as_deref(), Some("debug"));
        assert_eq!(log(b"").expect("it is UTF-8"), None);
        let error = log(b"deb\xffug").expect_err("it is not");
        assert_eq!(error.to_string(), "`PML_LOG` is not UTF-8");
    }

    #[test]
    fn values_are_not_printed() {
        let environment: Environment = [("KEY", "hunter2")].into_iter().collect();
        assert_eq!(format!("{environment:?}"), "{\"KEY\"}");
    }
}
