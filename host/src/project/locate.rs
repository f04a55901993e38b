//! Finds the folder of a project. Input: a folder to start from. Output: the project's root.
//!
//! **Invariant:** settings above the repository's root or above the user's home are ignored: those
//! folders are shared with others.

use crate::config::Environment;
use crate::project::{MCP_FILE, PML_FILE};
use std::path::{Path, PathBuf};

/// Files and folders that mark the root of a project without settings.
const MARKS: &[&str] = &[".pml", ".git", PML_FILE, "package.json", "deno.json"];

/// Returns the project around `folder`: the nearest folder at or above it that contains settings,
/// within its repository and home; otherwise the nearest folder with a project marker; otherwise
/// `folder` itself.
pub fn locate(folder: &Path, environment: &Environment) -> PathBuf {
    let home = environment.home();
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    configured(&folder, home.as_deref()).unwrap_or_else(|| marked(&folder, home.as_deref()))
}

/// Returns the repository around a project, or `None`.
pub(super) fn repository(root: &Path) -> Option<PathBuf> {
    let marked = |above: &&Path| above.join(".git").symlink_metadata().is_ok();
    root.ancestors().find(marked).map(Path::to_path_buf)
}

fn configured(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    // A dangling link also counts: reading it reports the problem.
    let has = |folder: &Path, name: &str| folder.join(name).symlink_metadata().is_ok();
    for above in folder.ancestors() {
        if has(above, PML_FILE) || has(above, MCP_FILE) {
            return Some(above.into());
        }
        if has(above, ".git") || home == Some(above) {
            return None;
        }
    }
    None
}

fn marked(folder: &Path, home: Option<&Path>) -> PathBuf {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let within_home = home.filter(|home| folder.starts_with(home));
    let may = |above: &&Path| within_home.is_none_or(|home| above.starts_with(home));
    folder.ancestors().take_while(may).find(marked).unwrap_or(folder).into()
}

#[cfg(test)]
mod tests {
    use super::{configured, marked};
    use std::fs;

    #[test]
    fn the_nearest_marked_folder_is_the_project() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("home");
        let deep = home.join("project/part/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(marked(&deep, Some(&home)), deep);
        fs::write(home.join("project/package.json"), "{}").unwrap();
        assert_eq!(marked(&deep, Some(&home)), home.join("project"));
        fs::create_dir(home.join("project/part/.git")).unwrap();
        assert_eq!(marked(&deep, Some(&home)), home.join("project/part"));
        assert_eq!(marked(&home.join("project/part"), Some(&home)), home.join("project/part"));
    }

    #[test]
    fn nothing_above_home_is_a_project_of_what_lies_in_it() {
        let top = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (top.path().join("home"), top.path().join("elsewhere"));
        fs::create_dir_all(home.join("work")).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        fs::create_dir(top.path().join(".git")).unwrap();
        assert_eq!(marked(&home.join("work"), Some(&home)), home.join("work"));
        assert_eq!(marked(&elsewhere, Some(&home)), top.path());
        assert_eq!(marked(&home.join("work"), None), top.path());
    }

    #[test]
    fn settings_are_found_above_marks_but_not_above_the_repository() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("home");
        let deep = home.join("repository/part/deep");
        fs::create_dir_all(&deep).unwrap();
        fs::write(home.join("repository/part/package.json"), "{}").unwrap();
        fs::write(home.join(".mcp.json"), "{}").unwrap();
        assert_eq!(configured(&deep, Some(&home)), Some(home.clone()));
        fs::create_dir(home.join("repository/.git")).unwrap();
        assert_eq!(configured(&deep, Some(&home)), None);
        fs::write(home.join("repository/.pml.json"), "{}").unwrap();
        assert_eq!(configured(&deep, Some(&home)), Some(home.join("repository")));
    }

    #[test]
    fn settings_above_home_are_not_looked_for() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("home");
        fs::create_dir_all(home.join("work")).unwrap();
        fs::write(top.path().join(".pml.json"), "{}").unwrap();
        assert_eq!(configured(&home.join("work"), Some(&home)), None);
        assert_eq!(configured(&home, Some(&home)), None);
        assert_eq!(configured(&home.join("work"), None), Some(top.path().into()));
    }
}
