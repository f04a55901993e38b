//! The program of a package, as it was found in its folder.

use crate::store::StartedBy;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A program of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageProgram {
    /// Its file, seen from the package's folder.
    pub(super) entry: String,
    /// What starts it.
    pub(super) started_by: StartedBy,
}

/// Returns the words of a file's first line behind `#!`, if it has any.
pub(super) fn shebang(path: &Path) -> Option<Vec<String>> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(512).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    Some(line.split_whitespace().map(Into::into).collect())
}

/// Returns whether a path leads to a plain file inside of `folder`, links followed.
pub(super) fn is_file_within(path: &Path, folder: &Path) -> bool {
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else { return false };
    path.starts_with(folder) && path.is_file()
}
