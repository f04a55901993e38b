//! A key of this user. It seals data that a client stores for us between two requests, and
//! installed packages.
//!
//! Input: the user's state folder. Output: 32 random bytes, generated once. **Invariant:** the
//! key never lies in a project, only its owner can read or write it, and no link leads to it. A
//! file that is not such a key is an error; it is never replaced.

use super::environment::Environment;
use crate::disk::user_files::{display_path, read_own};
use crate::disk::user_files::{file_error, lock, make_private_folder, replace};
use crate::error::Error;
use crate::model::Code;
use std::path::{Path, PathBuf};

/// Bytes of a key.
const SIZE: usize = 32;

/// The place of a key. The key is generated when it is first needed.
#[derive(Clone, Debug, Default)]
pub struct UserKey {
    folder: Option<PathBuf>,
}

impl UserKey {
    /// Returns the key of this user, which all of their processes share. If the user has no state
    /// folder, the key is for this process alone.
    ///
    /// # Errors
    /// If the state folder may not be used for the project in `project`: see
    /// [`Environment::state_folder`].
    pub fn of(environment: &Environment, project: &Path) -> Result<UserKey, Error> {
        Ok(UserKey { folder: environment.state_folder(project)? })
    }

    /// Returns the key in a state folder.
    pub(crate) fn at(folder: &Path) -> UserKey {
        UserKey { folder: Some(folder.to_owned()) }
    }

    /// Returns a key that is not stored.
    pub fn of_this_process() -> UserKey {
        UserKey::default()
    }

    /// Returns the bytes of the key. A key that is not stored has new bytes each time.
    ///
    /// # Errors
    /// If it cannot be read or written, or the file is not this user's key.
    pub fn load(&self) -> Result<[u8; 32], Error> {
        let Some(folder) = &self.folder else { return generate() };
        let path = folder.join("state.key");
        if let Some(key) = read(&path)? {
            return Ok(key);
        }
        make_private_folder(folder)?;
        let _lock = lock(&folder.join("lock"))?;
        // Another process may have written it meanwhile.
        if let Some(key) = read(&path)? {
            return Ok(key);
        }
        let key = generate()?;
        replace(&path, &key)?;
        Ok(key)
    }
}

fn read(path: &Path) -> Result<Option<[u8; SIZE]>, Error> {
    let refuse = |message: &str| {
        Error::new(Code::Security, format!("{message}: {}", display_path(path))).with_hint(
            "move the file away; a new key is drawn, open questions are asked anew, and packages are installed anew",
        )
    };
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(file_error("read", path, error)),
        Ok(found) if found.is_symlink() => return Err(refuse("the key is a link")),
        #[cfg(unix)]
        Ok(found) => {
            let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
            if mode & 0o077 != 0 {
                return Err(refuse("others may read or write the key"));
            }
        }
        #[cfg(not(unix))]
        Ok(_) => {}
    }
    let Some(file) = read_own(path, SIZE as u64)? else { return Ok(None) };
    let key = file.bytes.try_into().map_err(|_| refuse("the key is damaged"))?;
    Ok(Some(key))
}

fn generate() -> Result<[u8; SIZE], Error> {
    let mut key = [0; SIZE];
    getrandom::fill(&mut key).map_err(|error| {
        Error::new(Code::Internal, "the OS gives no random numbers").with_source(error)
    })?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::UserKey;

    fn of(folder: &std::path::Path) -> UserKey {
        UserKey { folder: Some(folder.join("state/pml")) }
    }

    #[test]
    fn a_key_is_drawn_once_however_many_ask_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<_> = std::thread::scope(|scope| {
            let ask = || of(folder.path()).load().unwrap();
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asking.into_iter().map(|asking| asking.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        let process = UserKey::of_this_process();
        assert_ne!(process.load().unwrap(), process.load().unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn the_key_is_for_its_owner_alone_and_what_is_no_key_refuses() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let key = of(folder.path());
        key.load().unwrap();
        let path = folder.path().join("state/pml/state.key");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(key.load().unwrap_err().to_string().contains("others may read"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "short").unwrap();
        assert!(key.load().unwrap_err().to_string().contains("damaged"));
        std::fs::write(&path, [7; 33]).unwrap();
        assert!(key.load().is_err());
        let theirs = folder.path().join("theirs");
        std::fs::write(&theirs, [7; 32]).unwrap();
        std::fs::remove_file(&path).unwrap();
        symlink(&theirs, &path).unwrap();
        assert!(key.load().unwrap_err().to_string().contains("a link"));
    }
}
