//! Each entry with the hash of the one before it, and whether that still holds.

use super::Broken;
use crate::model::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How far a trail goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct Head {
    /// How many entries it has.
    pub(in crate::store) count: u64,
    /// The hash of the last one; nothing if there is none.
    pub(in crate::store) hash: String,
}

/// Returns the hash of an entry: sha256, in hex, of the hash before it, a line end, and its text.
pub(in crate::store) fn link(previous: &str, text: &str) -> String {
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update("\n");
    sha.update(text);
    hex(&sha.finalize())
}

/// A trail on its way past, held against itself and against the head that was kept.
pub(in crate::store) struct Check {
    head: Head,
    kept: Option<Head>,
    broken: Option<Broken>,
}

impl Check {
    /// Returns a check from the first entry on.
    pub(in crate::store) fn new(kept: Option<Head>) -> Check {
        Check { head: Head::default(), kept, broken: None }
    }

    /// Takes the next entry. Of several things that are wrong the first one counts.
    pub(in crate::store) fn entry(&mut self, number: u64, text: &str, hash: &str) {
        let next = self.head.count + 1;
        let hashed = link(&self.head.hash, text);
        let vouched = self.kept.as_ref().filter(|kept| kept.count == number);
        let wrong = match vouched {
            _ if number > next => Some(Broken::Missing { number: next }),
            _ if number < next || hashed != hash => Some(Broken::Changed { number }),
            Some(kept) if kept.hash != hash => Some(Broken::Rewritten { number }),
            _ => None,
        };
        self.broken = self.broken.take().or(wrong);
        self.head = Head { count: number, hash: hash.into() };
    }

    /// Returns how far it goes, and what is wrong with it.
    pub(in crate::store) fn end(self) -> (Head, Option<Broken>) {
        let (found, head) = (self.head.count, self.head);
        let cut = self.kept.filter(|kept| kept.count > found);
        let cut = cut.map(|kept| Broken::Cut { kept: kept.count, found });
        (head, self.broken.or(cut))
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Head, link};
    use crate::store::Broken;

    type Row = (u64, String, String);

    fn rows(texts: &[&str]) -> Vec<Row> {
        let mut previous = String::new();
        let row = |(text, number): (&&str, u64)| {
            previous = link(&previous, text);
            (number, text.to_string(), previous.clone())
        };
        texts.iter().zip(1..).map(row).collect()
    }

    fn checked(rows: &[Row], kept: Option<Head>) -> Option<Broken> {
        let mut check = Check::new(kept);
        rows.iter().for_each(|(number, text, hash)| check.entry(*number, text, hash));
        check.end().1
    }

    fn head(rows: &[Row]) -> Option<Head> {
        rows.last().map(|(count, _, hash)| Head { count: *count, hash: hash.clone() })
    }

    #[test]
    fn a_trail_that_only_grew_holds() {
        let all = rows(&["a", "b", "c"]);
        assert_eq!(checked(&all, head(&all)), None);
        assert_eq!(checked(&all, head(&all[..1])), None);
        assert_eq!(checked(&all, None), None);
        assert_eq!(checked(&[], None), None);
    }

    #[test]
    fn every_way_to_tamper_with_it_shows() {
        let all = rows(&["a", "b", "c"]);
        let mut changed = all.clone();
        changed[1].1 = "B".into();
        assert_eq!(checked(&changed, None), Some(Broken::Changed { number: 2 }));
        let removed = [all[0].clone(), all[2].clone()];
        assert_eq!(checked(&removed, None), Some(Broken::Missing { number: 2 }));
        let renumbered = [all[0].clone(), (2, all[2].1.clone(), all[2].2.clone())];
        assert_eq!(checked(&renumbered, None), Some(Broken::Changed { number: 2 }));
        let cut = Broken::Cut { kept: 3, found: 2 };
        assert_eq!(checked(&all[..2], head(&all)), Some(cut));
        assert_eq!(checked(&[], head(&all)), Some(Broken::Cut { kept: 3, found: 0 }));
        let rewritten = rows(&["a", "B", "c", "d"]);
        assert_eq!(checked(&rewritten, head(&all)), Some(Broken::Rewritten { number: 3 }));
    }
}
