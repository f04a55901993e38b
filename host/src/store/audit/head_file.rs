//! The anchor of an audit trail, stored in the user's own state folder: one file for each journal.
//!
//! **Invariant:** the anchor only moves forward along the trail that it describes. It does not
//! follow a trail that was cut or rewritten, so that the next entry does not hide the defect; only
//! the acceptance by a person replaces it.

use super::{TrailAnchor, TrailDefect, TrailHead};
use crate::disk::{lock, make_private_folder, read, replace};
use crate::model::WriteDurability;
use crate::model::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum bytes of a file; an anchor has fewer.
const SIZE: u64 = 64 << 10;

/// The newest format of the file.
const VERSION: u32 = 1;

/// The file with the anchor of one journal.
#[derive(Clone, Debug)]
pub(in crate::store) struct HeadFile {
    folder: PathBuf,
    /// The path of the journal's file, which identifies the anchor.
    journal: String,
}

#[derive(Serialize, Deserialize)]
struct HeadFileContent {
    version: u32,
    journal: String,
    #[serde(flatten)]
    vouched: TrailAnchor,
}

impl HeadFile {
    /// Returns the file in `folder` for `journal`.
    pub(in crate::store) fn of(folder: &Path, journal: &Path) -> HeadFile {
        // The path is made canonical: the same journal gets the same file however its folder was
        // named, and whether the journal exists or not.
        let canonical = journal.ancestors().find_map(|above| {
            let (whole, rest) = (above.canonicalize().ok()?, journal.strip_prefix(above).ok()?);
            // Components are chained because joining an empty path would add a slash at the end.
            Some(whole.components().chain(rest.components()).collect::<PathBuf>())
        });
        let whole = canonical.unwrap_or_else(|| journal.into());
        HeadFile { folder: folder.into(), journal: whole.to_string_lossy().into_owned() }
    }

    fn path(&self, ending: &str) -> PathBuf {
        let name = hex(&Sha256::digest(&self.journal)[..16]);
        self.folder.join(format!("{name}.{ending}"))
    }

    /// Reads the anchor. Returns `None` if none is stored.
    pub(in crate::store) fn read(&self) -> Result<Option<TrailAnchor>, TrailDefect> {
        let path = self.path("json");
        let refuse =
            |detail: String| TrailDefect::Head { detail: format!("{detail}: {}", path.display()) };
        let bytes = match read(&path, SIZE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refuse(error.to_string())),
        };
        let written: HeadFileContent =
            serde_json::from_slice(&bytes).map_err(|error| refuse(error.to_string()))?;
        match written.version {
            0..=VERSION if written.journal == self.journal => Ok(Some(written.vouched)),
            0..=VERSION => Err(refuse("it is the head of another journal".into())),
            _ => Err(refuse("a newer pml wrote it".into())),
        }
    }

    /// Moves the anchor to the end of the trail, if the trail continues from the present anchor.
    /// `hash_of` returns the hash of an entry.
    pub(in crate::store) fn advance(
        &self,
        head: &TrailHead,
        hash_of: impl FnOnce(u64) -> Option<String>,
    ) -> io::Result<()> {
        let _lock = self.lock()?;
        let (continues, accepted) = match self.read() {
            Ok(Some(TrailAnchor { head: anchored, accepted })) => {
                let before = anchored.count < head.count;
                let is_anchored = |hash: String| hash == anchored.hash;
                let continues = before
                    && (anchored.count == 0 || hash_of(anchored.count).is_some_and(is_anchored));
                (continues, accepted)
            }
            // A trail that already has entries, but no anchor, may have lost some.
            Ok(None) => (head.count == 1, None),
            Err(_) => (false, None),
        };
        match continues {
            true => self.write(TrailAnchor { head: head.clone(), accepted }),
            false => Ok(()),
        }
    }

    /// Replaces the anchor: a person accepted the trail as it is.
    pub(in crate::store) fn accept(&self, anchor: TrailAnchor) -> io::Result<()> {
        let _lock = self.lock()?;
        self.write(anchor)
    }

    /// Copies the anchor of another journal. If that has none, removes this one.
    pub(in crate::store) fn copy(&self, from: &HeadFile) -> io::Result<()> {
        let refused = |defect: TrailDefect| io::Error::other(defect.to_string());
        match from.read().map_err(refused)? {
            Some(anchor) => self.accept(anchor),
            None => self.remove(),
        }
    }

    /// Removes the anchor: the journal no longer exists.
    pub(in crate::store) fn remove(&self) -> io::Result<()> {
        match std::fs::remove_file(self.path("json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn lock(&self) -> io::Result<crate::disk::FileLock> {
        make_private_folder(&self.folder)?;
        lock(&self.path("lock"))
    }

    fn write(&self, anchor: TrailAnchor) -> io::Result<()> {
        let (version, journal) = (VERSION, self.journal.clone());
        let text = serde_json::to_string(&HeadFileContent { version, journal, vouched: anchor })?;
        replace(&self.path("json"), (text + "\n").as_bytes(), WriteDurability::Process)
    }
}

#[cfg(test)]
mod tests {
    use super::HeadFile;
    use crate::store::TrailDefect;
    use crate::store::audit::{AcceptedPrefix, TrailAnchor, TrailHead};

    fn head(count: u64, hash: &str) -> TrailHead {
        TrailHead { count, hash: hash.into() }
    }

    fn anchor(count: u64, hash: &str) -> TrailAnchor {
        TrailAnchor { head: head(count, hash), accepted: None }
    }

    #[test]
    fn what_was_accepted_stays_while_it_moves_forward() {
        let folder = tempfile::tempdir().unwrap();
        let file = HeadFile::of(folder.path(), &folder.path().join("state.db"));
        let accepted = Some(AcceptedPrefix { up_to: 2, digest: "d".into() });
        file.accept(TrailAnchor { head: head(2, "h2"), accepted: accepted.clone() }).unwrap();
        file.advance(&head(3, "h3"), |number| Some(format!("h{number}"))).unwrap();
        assert_eq!(file.read(), Ok(Some(TrailAnchor { head: head(3, "h3"), accepted })));
    }

    #[test]
    fn it_follows_the_trail_it_vouches_for_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = HeadFile::of(&folder.path().join("audit"), &folder.path().join("state.db"));
        let trail = |number: u64| Some(format!("h{number}"));
        assert_eq!(file.read(), Ok(None));
        file.advance(&head(2, "h2"), trail).unwrap();
        assert_eq!(file.read(), Ok(None), "it begins with the first entry");
        file.advance(&head(1, "h1"), trail).unwrap();
        file.advance(&head(3, "h3"), trail).unwrap();
        assert_eq!(file.read(), Ok(Some(anchor(3, "h3"))));
        file.advance(&head(2, "h2"), trail).unwrap();
        assert_eq!(file.read(), Ok(Some(anchor(3, "h3"))), "never back");
        file.advance(&head(4, "x4"), |number| Some(format!("x{number}"))).unwrap();
        file.advance(&head(4, "x4"), |_| None).unwrap();
        assert_eq!(file.read(), Ok(Some(anchor(3, "h3"))), "not along another trail");
        file.accept(anchor(4, "x4")).unwrap();
        assert_eq!(file.read(), Ok(Some(anchor(4, "x4"))));
    }

    #[test]
    fn it_is_the_same_whether_the_journal_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join(".pml/state.db");
        let gone = HeadFile::of(folder.path(), &journal);
        std::fs::create_dir(folder.path().join(".pml")).unwrap();
        std::fs::write(&journal, "").unwrap();
        assert_eq!(HeadFile::of(folder.path(), &journal).journal, gone.journal);
        let roundabout = folder.path().join(".pml/../.pml/state.db");
        assert_eq!(HeadFile::of(folder.path(), &roundabout).journal, gone.journal);
    }

    #[test]
    fn one_that_cannot_be_read_is_no_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = HeadFile::of(folder.path(), &folder.path().join("state.db"));
        file.accept(anchor(1, "h1")).unwrap();
        std::fs::write(file.path("json"), "{").unwrap();
        assert!(matches!(file.read(), Err(TrailDefect::Head { .. })));
        file.advance(&head(2, "h2"), |_| Some("h1".into())).unwrap();
        assert!(matches!(file.read(), Err(TrailDefect::Head { .. })), "left as it is");
        let other = HeadFile { journal: "/elsewhere".into(), ..file.clone() };
        other.accept(anchor(1, "h1")).unwrap();
        std::fs::rename(other.path("json"), file.path("json")).unwrap();
        assert!(matches!(file.read(), Err(TrailDefect::Head { .. })), "not another's");
    }
}
