//! Finds and hashes the file of a project that a word names.

use super::FILE;
use crate::model::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Maximum number of bytes that are hashed for one project. A server whose files exceed it cannot
/// be used.
const MAX_BYTES: u64 = 256 << 20;

/// Maximum number of files that are hashed for one project.
const MAX_FILES: usize = 256;

/// Maximum number of paths that are checked for one project.
const MAX_LOOKUPS: usize = 400_000;

/// Maximum number of links that are followed, as in the OS.
const MAX_LINKS: usize = 40;

/// The remaining budget of a scan.
#[derive(Clone, Debug)]
pub(in crate::project) struct ScanBudget {
    bytes: u64,
    files: usize,
    lookups: usize,
    /// Digests of the files that were hashed already: several servers may name one file.
    known: BTreeMap<PathBuf, FileDigests>,
}

impl Default for ScanBudget {
    fn default() -> ScanBudget {
        ScanBudget {
            bytes: MAX_BYTES,
            files: MAX_FILES,
            lookups: MAX_LOOKUPS,
            known: BTreeMap::new(),
        }
    }
}

/// The error that the budget of a scan is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScanLimitExceeded;

impl ScanLimitExceeded {
    /// Returns the reason why a server cannot be used.
    pub(super) fn reason() -> String {
        format!(
            "its launch line names more than can be held against what was trusted ({} MiB and {MAX_FILES} files in all)",
            MAX_BYTES >> 20
        )
    }
}

/// The sha256 of a file with its path, and that of its content alone.
#[derive(Clone, Debug)]
struct FileDigests {
    digest: String,
    content: String,
}

/// The target of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WordTarget {
    /// A file of the project, or a link to one.
    File { name: String, digest: String, content: String },
    /// A path of the project that leads to a file outside.
    LinksOutside { name: String, digest: String, to: PathBuf },
    /// A folder of the project.
    Folder(PathBuf),
    /// No file, or none of the project.
    Nothing,
}

impl ScanBudget {
    /// Finds the target of `word`, relative to `folder`. `root` must not contain links.
    pub(super) fn resolve_word(
        &mut self,
        root: &Path,
        folder: &Path,
        word: &str,
    ) -> Result<WordTarget, ScanLimitExceeded> {
        self.lookups = self.lookups.checked_sub(1).ok_or(ScanLimitExceeded)?;
        // No file has such a name: the OS would only return an error.
        if word.len() > 4_096 || word.contains('\0') {
            return Ok(WordTarget::Nothing);
        }
        let written = folder.join(word);
        let Ok(target) = written.canonicalize() else {
            return Ok(WordTarget::Nothing);
        };
        if target.is_dir() {
            return Ok(match target.starts_with(root) {
                true => WordTarget::Folder(target),
                // A link to a folder outside: its contents do not belong to the project, but the
                // link does.
                false => match without_dots(&written) {
                    own if own != root && own.starts_with(root) => {
                        links_outside(name_of(root, &own), target)
                    }
                    _ => WordTarget::Nothing,
                },
            });
        }
        if !target.is_file() {
            return Ok(WordTarget::Nothing);
        }
        let Some(at) = with_real_folder(&written) else { return Ok(WordTarget::Nothing) };
        let at = match (at.starts_with(root), without_dots(&written)) {
            (true, _) => at,
            // A folder of the project that leads out of it.
            (false, folded) if folded.starts_with(root) => {
                return Ok(links_outside(name_of(root, &folded), at));
            }
            // A file outside that leads into the project, or one that has nothing to do with it.
            (false, _) if target.starts_with(root) => target.clone(),
            (false, _) => return Ok(WordTarget::Nothing),
        };
        let name = name_of(root, &at);
        let Some(last) = follow(root, at) else { return Ok(WordTarget::Nothing) };
        if !last.starts_with(root) {
            return Ok(links_outside(name, last));
        }
        let known = match self.known.get(&last) {
            Some(known) => known.clone(),
            None => {
                self.files = self.files.checked_sub(1).ok_or(ScanLimitExceeded)?;
                let known = self.hash(root, &last)?;
                self.known.insert(last, known.clone());
                known
            }
        };
        let FileDigests { digest, content } = known;
        Ok(WordTarget::File { name, digest, content })
    }

    /// Hashes a file with its path: a link that is retargeted to equal content gets another digest.
    fn hash(&mut self, root: &Path, file: &Path) -> Result<FileDigests, ScanLimitExceeded> {
        let (mut sha, mut content) = (Sha256::new(), Sha256::new());
        sha.update(b"file\0");
        sha.update(name_of(root, file));
        sha.update([0]);
        match self.read(file, [&mut sha, &mut content]) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(ScanLimitExceeded);
            }
            // It gets another digest once it can be read.
            Err(_) => sha.update(b"\0unreadable"),
        }
        Ok(FileDigests { digest: hex(&sha.finalize()), content: hex(&content.finalize()) })
    }

    fn read(&mut self, file: &Path, mut hashes: [&mut Sha256; 2]) -> io::Result<()> {
        let mut file = File::open(file)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let length = match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let remaining = self.bytes.checked_sub(length as u64);
            self.bytes = remaining.ok_or(io::ErrorKind::FileTooLarge)?;
            for sha in &mut hashes {
                sha.update(&buffer[..length]);
            }
        }
    }
}

fn links_outside(name: String, to: PathBuf) -> WordTarget {
    let mut sha = Sha256::new();
    sha.update(b"out\0");
    sha.update(to.as_os_str().as_encoded_bytes());
    WordTarget::LinksOutside { name, digest: hex(&sha.finalize()), to }
}

/// Resolves the links in the folder of a path; the file itself may still be a link.
fn with_real_folder(path: &Path) -> Option<PathBuf> {
    let name = match path.components().next_back()? {
        Component::Normal(name) => name,
        // `x/..` and the like: a folder, or no path at all.
        _ => return None,
    };
    Some(path.parent()?.canonicalize().ok()?.join(name))
}

/// Returns a path with the links of its folder resolved, or else without its dots.
pub(super) fn real_path(path: &Path) -> PathBuf {
    with_real_folder(path).unwrap_or_else(|| without_dots(path))
}

/// Follows links as long as they stay in the project. Returns the first path that is not a link, or
/// that is outside.
fn follow(root: &Path, mut at: PathBuf) -> Option<PathBuf> {
    for _ in 0..MAX_LINKS {
        let found = at.symlink_metadata().ok()?;
        if !found.is_symlink() || !at.starts_with(root) {
            return Some(at);
        }
        let target = at.parent()?.join(at.read_link().ok()?);
        at = with_real_folder(&target).or_else(|| target.canonicalize().ok())?;
    }
    None
}

/// Removes `.` and `..` from a path without following links.
fn without_dots(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(folded.pop()),
            other => folded.push(other),
        }
    }
    folded
}

/// Returns the name of a project's file in the manifest.
fn name_of(root: &Path, path: &Path) -> String {
    let own = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = own.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    format!("{FILE}{}", parts.join("/"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::{ScanBudget, ScanLimitExceeded, WordTarget};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(root.join("tools")).unwrap();
        fs::write(root.join("tools/x.py"), "one").unwrap();
        fs::write(root.join("tools/y.py"), "one").unwrap();
        fs::write(folder.path().join("outside.py"), "out").unwrap();
        (folder, root)
    }

    fn resolve(root: &Path, word: &str) -> WordTarget {
        ScanBudget::default().resolve_word(root, root, word).unwrap()
    }

    fn file(root: &Path, word: &str) -> (String, String) {
        match resolve(root, word) {
            WordTarget::File { name, digest, .. } => (name, digest),
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn a_file_has_one_name_however_it_is_written_and_another_digest_once_it_changes() {
        let (_folder, root) = place();
        let (name, digest) = file(&root, "tools/x.py");
        assert_eq!(name, "./tools/x.py");
        let whole = root.join("tools/x.py");
        for word in ["./tools/x.py", "tools/../tools/x.py", whole.to_str().unwrap()] {
            assert_eq!(file(&root, word), (name.clone(), digest.clone()), "{word}");
        }
        fs::write(&whole, "two").unwrap();
        assert_ne!(file(&root, "tools/x.py").1, digest);
        assert_eq!(resolve(&root, "tools/z.py"), WordTarget::Nothing);
        assert_eq!(resolve(&root, "../outside.py"), WordTarget::Nothing);
        assert_eq!(resolve(&root, "tools"), WordTarget::Folder(root.join("tools")));
    }

    #[test]
    fn a_link_that_is_turned_is_another_though_the_content_is_the_same() {
        let (_folder, root) = place();
        symlink("tools/x.py", root.join("run")).unwrap();
        let (name, before) = file(&root, "run");
        assert_eq!(name, "./run");
        fs::remove_file(root.join("run")).unwrap();
        symlink("tools/y.py", root.join("run")).unwrap();
        assert_ne!(file(&root, "run").1, before);
        fs::write(root.join("tools/y.py"), "three").unwrap();
        assert_ne!(file(&root, "run").1, before);
        // A folder that is a link: the file has its real name, and another one once the link is
        // retargeted.
        symlink("tools", root.join("way")).unwrap();
        assert_eq!(file(&root, "way/x.py").0, "./tools/x.py");
    }

    #[test]
    fn what_leads_out_of_the_project_is_named_with_where() {
        let (folder, root) = place();
        let outside = folder.path().canonicalize().unwrap().join("outside.py");
        symlink("../../outside.py", root.join("tools/out")).unwrap();
        let WordTarget::LinksOutside { name, to, digest } = resolve(&root, "tools/out") else {
            panic!()
        };
        assert_eq!((name.as_str(), &to), ("./tools/out", &outside));
        // The contents outside do not belong to the project.
        fs::write(&outside, "changed").unwrap();
        assert_eq!(resolve(&root, "tools/out"), WordTarget::LinksOutside { name, to, digest });
        symlink(folder.path(), root.join("up")).unwrap();
        assert!(
            matches!(resolve(&root, "up/outside.py"), WordTarget::LinksOutside { name, .. } if name == "./up/outside.py")
        );
        assert!(
            matches!(resolve(&root, "up"), WordTarget::LinksOutside { name, .. } if name == "./up")
        );
        assert_eq!(resolve(&root, ".."), WordTarget::Nothing);
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(resolve(&root, "loop"), WordTarget::Nothing);
    }

    #[test]
    fn more_than_the_budget_is_refused() {
        let (_folder, root) = place();
        let bytes = ScanBudget { bytes: 2, ..ScanBudget::default() };
        assert_eq!(bytes.clone().resolve_word(&root, &root, "tools/x.py"), Err(ScanLimitExceeded));
        let files = ScanBudget { files: 0, ..ScanBudget::default() };
        assert_eq!(files.clone().resolve_word(&root, &root, "tools/x.py"), Err(ScanLimitExceeded));
        let lookups = ScanBudget { lookups: 0, ..ScanBudget::default() };
        assert_eq!(lookups.clone().resolve_word(&root, &root, "nothing"), Err(ScanLimitExceeded));
    }
}
