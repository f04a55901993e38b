//! The program of a package, as found in its folder.

use crate::install::installation_record::StartedBy;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A program of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageProgram {
    /// Its file, relative to the folder of the installation.
    pub(super) entry: String,
    /// The interpreter that starts it.
    pub(super) started_by: StartedBy,
}

/// Returns the words behind `#!` in the first line of a file. Returns `None` if there is no such
/// line.
pub(super) fn shebang(path: &Path) -> Option<Vec<String>> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(512).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    Some(line.split_whitespace().map(Into::into).collect())
}

/// Reports whether a path leads to a regular file inside `folder`, with links resolved.
pub(super) fn is_file_within(path: &Path, folder: &Path) -> bool {
    let (Ok(path), Ok(folder)) = (path.canonicalize(), folder.canonicalize()) else { return false };
    path.starts_with(folder) && path.is_file()
}
