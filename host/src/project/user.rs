//! The user's own settings, outside all projects: no project and no pml command may change them.
//!
//! Input: the environment and a project. Output: [`UserSettings`], read from `pml/config.json` in
//! the user's configuration folder (`config.schema.json` describes the format).
//!
//! **Invariant:** nothing is ever written here.
//! **Invariant:** a file is refused if it may not be this user's own, if a project could have
//! brought it, or if it is not valid.

use super::document::Document;
use super::fields::{FieldReader, UnknownKeys};
use super::locate::repository;
use crate::config::Environment;
use crate::disk::user_files::file_error;
use crate::disk::user_files::{display_path, read_own};
use crate::error::Error;
use crate::model::Code;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size: more than anybody writes by hand.
const SIZE: u64 = 64 << 10;

/// The keys of the file.
pub(super) const USER_KEYS: &[&str] = &["$schema", "agents"];

/// The keys of `agents`.
pub(super) const AGENT_KEYS: &[&str] = &["mayWiden"];

/// The user's settings for all projects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserSettings {
    /// Whether commands that an agent runs may trust, install, add and approve.
    pub agents_may_widen: bool,
}

impl UserSettings {
    /// Reads the settings of this user, for a command about the project in `root`. Without a file,
    /// nothing is allowed.
    ///
    /// # Errors
    /// If the file is not this user's own, others may write it, it is in the project or its
    /// repository, or it is not valid.
    pub fn load(environment: &Environment, root: &Path) -> Result<UserSettings, Error> {
        let Some(path) = environment.settings_file() else { return Ok(UserSettings::default()) };
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match path.symlink_metadata() {
                    Ok(_) => Err(refused(&path, "it is a link to a file that does not exist")),
                    Err(_) => Ok(UserSettings::default()),
                };
            }
            Err(error) => return Err(file_error("read", &path, error)),
        };
        // A link may lead into the project, and the project may have named the folder.
        for place in [Some(root.to_path_buf()), repository(root)].into_iter().flatten() {
            let place = place.canonicalize().unwrap_or(place);
            if real.starts_with(&place) || path.starts_with(&place) {
                return Err(refused(&path, "it is in the project, or is a link into it"));
            }
        }
        check_modes(&real)?;
        match read_own(&real, SIZE)? {
            Some(file) => parse(&Document::new(file)?),
            None => Ok(UserSettings::default()),
        }
    }
}

fn parse(document: &Document) -> Result<UserSettings, Error> {
    let reader = FieldReader { document, unknown: UnknownKeys::Refused };
    let Some(tree) = document.tree()? else {
        return Err(document.error_at(0, "the file is empty").with_hint("write `{}`"));
    };
    let mut settings = UserSettings::default();
    for (key, property) in reader.fields(&tree, "your settings file", USER_KEYS)? {
        if key == "$schema" {
            reader.text(&property.value, "`$schema`")?;
            continue;
        }
        for (_, property) in reader.fields(&property.value, "`agents`", AGENT_KEYS)? {
            settings.agents_may_widen = reader.boolean(&property.value, "`agents.mayWiden`")?;
        }
    }
    Ok(settings)
}

/// Refuses a file that others may write or replace.
#[cfg(unix)]
fn check_modes(file: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    for (depth, path) in file.ancestors().enumerate() {
        let found = path.symlink_metadata().map_err(|error| file_error("read", path, error))?;
        if found.uid() != user && (depth < 2 || found.uid() != 0) {
            return Err(refused(path, "it belongs to another user"));
        }
        // Only this user may write the file and its folder; in the folders above, the sticky bit
        // keeps others from renaming.
        let writable = match depth {
            0 | 1 => found.mode() & 0o022 != 0,
            _ => found.mode() & 0o002 != 0 && found.mode() & 0o1000 == 0,
        };
        if writable {
            return Err(refused(path, "other users may write it"));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_modes(_: &Path) -> Result<(), Error> {
    Ok(())
}

fn refused(path: &Path, why: &str) -> Error {
    let message = format!("your settings file cannot be used: {why}: {}", display_path(path));
    let hint = "keep it in a folder of your own outside all projects, where only you can write";
    Error::new(Code::Security, message).with_hint(hint)
}

impl Environment {
    /// Returns the path of this user's own settings, whether the file exists or not.
    pub fn settings_file(&self) -> Option<PathBuf> {
        let base = match cfg!(windows) {
            true => self.folder("APPDATA"),
            false => {
                let usual = || self.home().map(|home| home.join(".config"));
                self.folder("XDG_CONFIG_HOME").or_else(usual)
            }
        };
        base.map(|base| base.join("pml/config.json"))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::{AGENT_KEYS, USER_KEYS, UserSettings};
    use crate::config::Environment;
    use serde_json::{Value, json};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    const YES: &str = "// mine\n{ \"agents\": { \"mayWiden\": true, }, }";

    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (home, root) = (top.join("home"), top.join("home/repository/part"));
        fs::create_dir_all(root.join("../.git")).unwrap();
        (folder, home, root)
    }

    fn write(home: &Path, text: &str) -> PathBuf {
        let file = home.join(".config/pml/config.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        for path in [&file, file.parent().unwrap()] {
            let mode = if path.is_dir() { 0o700 } else { 0o600 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        file
    }

    fn load(home: &Path, root: &Path, more: &[(&str, &str)]) -> Result<bool, String> {
        let own = ("HOME", home.to_str().unwrap());
        let environment: Environment = more.iter().copied().chain([own]).collect();
        let settings = UserSettings::load(&environment, root);
        settings.map(|settings| settings.agents_may_widen).map_err(|error| error.to_string())
    }

    #[test]
    fn agents_may_widen_only_where_the_user_says_so() {
        let (_folder, home, root) = place();
        assert_eq!(load(&home, &root, &[]), Ok(false));
        for (text, may) in [("{}", false), ("{ \"agents\": {} }", false), (YES, true)] {
            write(&home, text);
            assert_eq!(load(&home, &root, &[]), Ok(may), "{text}");
        }
        let elsewhere = home.join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        let named = [("XDG_CONFIG_HOME", elsewhere.to_str().unwrap())];
        assert_eq!(load(&home, &root, &named), Ok(false));
    }

    #[test]
    fn what_cannot_be_understood_refuses() {
        let (_folder, home, root) = place();
        for text in ["", "[]", "{ \"agent\": {} }", "{ \"agents\": { \"mayWiden\": 1 } }", "{"] {
            write(&home, text);
            assert!(load(&home, &root, &[]).is_err(), "{text}");
        }
        write(&home, "{ \"agents\": { \"mayAll\": true } }");
        assert!(load(&home, &root, &[]).unwrap_err().contains("`agents` has no key `mayAll`"));
    }

    #[test]
    fn a_file_that_others_may_write_or_that_a_project_brought_refuses() {
        let (_folder, home, root) = place();
        let file = write(&home, YES);
        for (path, mode) in [(file.as_path(), 0o622), (file.parent().unwrap(), 0o770)] {
            let before = path.metadata().unwrap().permissions();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(load(&home, &root, &[]).unwrap_err().contains("other users may write it"));
            fs::set_permissions(path, before).unwrap();
        }
        assert_eq!(load(&home, &root, &[]), Ok(true));
        // The folder of a project or its repository, and a link into it.
        for within in [root.clone(), root.join("..").canonicalize().unwrap()] {
            write(&within, YES);
            let named = within.join(".config");
            let named = [("XDG_CONFIG_HOME", named.to_str().unwrap())];
            assert!(load(&home, &root, &named).unwrap_err().contains("in the project"));
        }
        fs::remove_file(&file).unwrap();
        symlink(root.join(".config/pml/config.json"), &file).unwrap();
        assert!(load(&home, &root, &[]).unwrap_err().contains("a link into it"));
        fs::remove_file(&file).unwrap();
        symlink("nowhere", &file).unwrap();
        assert!(
            load(&home, &root, &[]).unwrap_err().contains("a link to a file that does not exist")
        );
    }

    #[test]
    fn the_schema_knows_the_keys_that_we_read_and_no_other() {
        let schema: Value =
            serde_json::from_str(include_str!("../../config.schema.json")).expect("JSON");
        for (pointer, keys) in [("", USER_KEYS), ("/properties/agents", AGENT_KEYS)] {
            let object = schema.pointer(pointer).expect(pointer);
            let described: Vec<_> = object["properties"].as_object().unwrap().keys().collect();
            assert_eq!(described, keys.iter().collect::<Vec<_>>(), "{pointer}");
            assert_eq!(object["additionalProperties"], json!(false), "{pointer}");
        }
    }
}
