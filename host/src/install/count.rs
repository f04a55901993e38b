//! Measures the progress of an installation by the names of folders. Reading files would cost too
//! much.

use std::path::{Path, PathBuf};

/// Returns how many packages are installed in `stage` so far.
pub(super) fn count(stage: &Path) -> u64 {
    let modules = names(stage.join("node_modules"));
    let (scopes, plain): (Vec<_>, Vec<_>) = modules.into_iter().partition(|at| starts(at, "@"));
    let plain = plain.iter().filter(|at| !starts(at, ".")).count();
    let scoped: usize = scopes.into_iter().map(|scope| names(scope).len()).sum();
    let libraries = names(stage.join("lib")).into_iter().map(|at| names(at.join("site-packages")));
    let info = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "dist-info");
    let python: usize = libraries.map(|all| all.iter().filter(info).count()).sum();
    (plain + scoped + python) as u64
}

fn names(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn starts(path: &Path, start: &str) -> bool {
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
