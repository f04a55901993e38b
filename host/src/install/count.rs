//! Measures the progress of an installation by the names of folders. Reading files would cost too
//! much.

use std::path::{Path, PathBuf};

/// Returns how many packages are installed in `stage` so far.
pub(super) fn count(stage: &Path) -> u64 {
    let modules = child_paths(stage.join("node_modules"));
    let (scopes, plain): (Vec<_>, Vec<_>) =
        modules.into_iter().partition(|at| name_starts_with(at, "@"));
    let plain = plain.iter().filter(|at| !name_starts_with(at, ".")).count();
    let scoped: usize = scopes.into_iter().map(|scope| child_paths(scope).len()).sum();
    let libraries =
        child_paths(stage.join("lib")).into_iter().map(|at| child_paths(at.join("site-packages")));
    let is_dist_info =
        |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "dist-info");
    let python: usize = libraries.map(|all| all.iter().filter(is_dist_info).count()).sum();
    (plain + scoped + python) as u64
}

fn child_paths(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn name_starts_with(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn packages_of_both_kinds_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(count(folder.path()), 0);
        for name in [
            "node_modules/.bin",
            "node_modules/a",
            "node_modules/@s/b",
            "node_modules/@s/c",
            "lib/python3.11/site-packages/d-1.dist-info",
            "lib/python3.11/site-packages/d",
        ] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        assert_eq!(count(folder.path()), 4);
    }
}
