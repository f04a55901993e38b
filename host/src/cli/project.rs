//! The project that a command is about, and its journal.

use crate::{Durability, Error, Journal, MemoryJournal, Store};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a project's folder has in it.
const MARKS: &[&str] = &[".pml", ".git", ".pml.json", "package.json", "deno.json"];

/// Opens the journal of the project around the current folder, and makes it if it is not there.
pub(super) fn store(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let store = Store::open(folder()?, durability).map_err(Error::from)?;
    Ok(Arc::new(store))
}

/// Opens the journal to look at it. Where there is none, nothing is made: it is empty.
pub(super) fn journal() -> anyhow::Result<Arc<dyn Journal>> {
    match folder()?.exists() {
        true => store(Durability::Process),
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// The project's `.pml`.
fn folder() -> anyhow::Result<PathBuf> {
    let current = std::env::current_dir().context("cannot find the current folder")?;
    Ok(root(&current, home().as_deref()).join(".pml"))
}

/// Returns the nearest folder at or above `folder` that has a project's mark in it, but none above `home`; else `folder`.
fn root(folder: &Path, home: Option<&Path>) -> PathBuf {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let within_home = home.filter(|home| folder.starts_with(home));
    // Above a person's home lies what is shared with others.
    let may = |above: &&Path| within_home.is_none_or(|home| above.starts_with(home));
    folder.ancestors().take_while(may).find(marked).unwrap_or(folder).into()
}

#[expect(clippy::disallowed_methods, reason = "where a person's own files end, not a setting")]
fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::root;
    use std::fs;

    #[test]
    fn the_nearest_marked_folder_is_the_project() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("home");
        let deep = home.join("project/part/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(root(&deep, Some(&home)), deep);
        fs::write(home.join("project/package.json"), "{}").unwrap();
        assert_eq!(root(&deep, Some(&home)), home.join("project"));
        fs::create_dir(home.join("project/part/.git")).unwrap();
        assert_eq!(root(&deep, Some(&home)), home.join("project/part"));
        assert_eq!(root(&home.join("project/part"), Some(&home)), home.join("project/part"));
    }

    #[test]
    fn nothing_above_home_is_a_project_of_what_lies_in_it() {
        let top = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (top.path().join("home"), top.path().join("elsewhere"));
        fs::create_dir_all(home.join("work")).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        fs::create_dir(top.path().join(".git")).unwrap();
        assert_eq!(root(&home.join("work"), Some(&home)), home.join("work"));
        assert_eq!(root(&elsewhere, Some(&home)), top.path());
        assert_eq!(root(&home.join("work"), None), top.path());
    }
}
