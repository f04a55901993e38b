//! The hash chain of the audit trail, and its verification.

use super::TrailDefect;
use crate::model::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The end of an audit trail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct TrailHead {
    /// The number of entries.
    pub(in crate::store) count: u64,
    /// The hash of the last entry; empty if there is none.
    pub(in crate::store) hash: String,
}

/// The record of a trail that is stored outside the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct TrailAnchor {
    /// The end of the trail.
    #[serde(flatten)]
    pub(in crate::store) head: TrailHead,
    /// The part of the trail that a person accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) accepted: Option<AcceptedPrefix>,
}

/// The beginning of a trail that a person accepted as it was, intact or not. From then on it must
/// stay the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct AcceptedPrefix {
    /// The number of the last accepted entry.
    pub(in crate::store) up_to: u64,
    /// The [`TrailDigest`] of all accepted entries.
    pub(in crate::store) digest: String,
}

/// A digest over entries as they are, whether their hashes are right or not.
#[derive(Clone, Default)]
pub(in crate::store) struct TrailDigest(Sha256);

impl TrailDigest {
    /// Adds the next entry.
    pub(in crate::store) fn add(&mut self, number: u64, text: &[u8], hash: &[u8]) {
        for part in [&number.to_be_bytes()[..], text, hash] {
            // The length prefix prevents bytes from moving from one part to the next.
            self.0.update((part.len() as u64).to_be_bytes());
            self.0.update(part);
        }
    }

    /// Returns the digest so far, in hex.
    pub(in crate::store) fn digest(&self) -> String {
        hex(&self.0.clone().finalize())
    }
}

/// Returns the hash of an entry: sha256, in hex, of the previous hash, a line feed, and the entry's
/// text.
pub(in crate::store) fn link(previous: &str, text: &str) -> String {
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update("\n");
    sha.update(text);
    hex(&sha.finalize())
}

/// Verifies a trail, entry by entry, against its own hashes and against the stored anchor.
pub(in crate::store) struct TrailVerifier {
    head: TrailHead,
    anchored_head: Option<TrailHead>,
    accepted: Option<AcceptedPrefix>,
    sum: TrailDigest,
    defect: Option<TrailDefect>,
}

impl TrailVerifier {
    /// Returns a verifier that starts before the first entry.
    pub(in crate::store) fn new(anchor: Option<TrailAnchor>) -> TrailVerifier {
        let (anchored_head, accepted) = match anchor {
            Some(TrailAnchor { head, accepted }) => (Some(head), accepted),
            None => (None, None),
        };
        TrailVerifier {
            head: TrailHead::default(),
            anchored_head,
            accepted,
            sum: TrailDigest::default(),
            defect: None,
        }
    }

    /// Verifies the next entry. Only the first defect is reported.
    pub(in crate::store) fn verify_entry(&mut self, number: u64, text: &str, hash: &str) {
        let next = self.head.count + 1;
        let hashed = link(&self.head.hash, text);
        let anchor = self.anchored_head.as_ref().filter(|head| head.count == number);
        let defect = match anchor {
            _ if number > next => Some(TrailDefect::Missing { number: next }),
            _ if number < next || hashed != hash => Some(TrailDefect::Changed { number }),
            Some(head) if head.hash != hash => Some(TrailDefect::Rewritten { number }),
            _ => None,
        };
        self.defect = self.defect.take().or(defect);
        self.head = TrailHead { count: number, hash: hash.into() };
        if let Some(accepted) = self.accepted.as_ref().filter(|accepted| number <= accepted.up_to) {
            self.sum.add(number, text.as_bytes(), hash.as_bytes());
            if number == accepted.up_to {
                // The person accepted the defects that existed then; any difference from that is a
                // new defect.
                let as_accepted = self.sum.digest() == accepted.digest;
                let changed = TrailDefect::NotAccepted { up_to: accepted.up_to };
                self.defect = (!as_accepted).then_some(changed);
            }
        }
    }

    /// Returns the end of the trail, and its first defect.
    pub(in crate::store) fn finish(self) -> (TrailHead, Option<TrailDefect>) {
        let (found, head) = (self.head.count, self.head);
        let cut = self.anchored_head.filter(|head| head.count > found);
        let cut = cut.map(|head| TrailDefect::Cut { kept: head.count, found });
        (head, self.defect.or(cut))
    }
}

#[cfg(test)]
mod tests {
    use super::{AcceptedPrefix, TrailAnchor, TrailDigest, TrailHead, TrailVerifier, link};
    use crate::store::TrailDefect;

    type Row = (u64, String, String);

    fn rows(texts: &[&str]) -> Vec<Row> {
        let mut previous = String::new();
        let row = |(text, number): (&&str, u64)| {
            previous = link(&previous, text);
            (number, text.to_string(), previous.clone())
        };
        texts.iter().zip(1..).map(row).collect()
    }

    fn checked(rows: &[Row], anchored_head: Option<TrailHead>) -> Option<TrailDefect> {
        against(rows, anchored_head.map(|head| TrailAnchor { head, accepted: None }))
    }

    fn against(rows: &[Row], anchor: Option<TrailAnchor>) -> Option<TrailDefect> {
        let mut verifier = TrailVerifier::new(anchor);
        rows.iter().for_each(|(number, text, hash)| verifier.verify_entry(*number, text, hash));
        verifier.finish().1
    }

    fn head(rows: &[Row]) -> Option<TrailHead> {
        rows.last().map(|(count, _, hash)| TrailHead { count: *count, hash: hash.clone() })
    }

    #[test]
    fn a_trail_that_only_grew_holds() {
        let all = rows(&["a", "b", "c"]);
        assert_eq!(checked(&all, head(&all)), None);
        assert_eq!(checked(&all, head(&all[..1])), None);
        assert_eq!(checked(&all, None), None);
        assert_eq!(checked(&[], None), None);
    }

    /// Returns the anchor that is stored once a person has accepted these rows.
    fn accepted(rows: &[Row]) -> Option<TrailAnchor> {
        let mut sum = TrailDigest::default();
        for (number, text, hash) in rows {
            sum.add(*number, text.as_bytes(), hash.as_bytes());
        }
        let head = head(rows)?;
        let accepted = Some(AcceptedPrefix { up_to: head.count, digest: sum.digest() });
        Some(TrailAnchor { head, accepted })
    }

    #[test]
    fn what_was_accepted_holds_as_it_was_then_and_no_other() {
        let mut all = rows(&["a", "b", "c", "d"]);
        all[1].1 = "B".into();
        let anchor = accepted(&all[..3]);
        assert_eq!(against(&all[..3], anchor.clone()), None);
        assert_eq!(against(&all, anchor.clone()), None, "and goes on from there");
        // The acceptance must be stored in the anchor; an entry in the trail is not enough.
        assert_eq!(against(&all, None), Some(TrailDefect::Changed { number: 2 }));
        let changed = |at: usize, text: &str| {
            let mut changed = all.clone();
            changed[at].1 = text.into();
            against(&changed, anchor.clone())
        };
        let other = Some(TrailDefect::NotAccepted { up_to: 3 });
        assert_eq!(changed(1, "b"), other, "not even back to what was right");
        assert_eq!([changed(0, "A"), changed(2, "C")], [other.clone(), other.clone()]);
        assert_eq!(changed(3, "D"), Some(TrailDefect::Changed { number: 4 }));
        assert_eq!(against(&all[..2], anchor.clone()), Some(TrailDefect::Changed { number: 2 }));
        assert_eq!(
            against(&all[..1], anchor.clone()),
            Some(TrailDefect::Cut { kept: 3, found: 1 })
        );
        assert_eq!(against(&[], anchor.clone()), Some(TrailDefect::Cut { kept: 3, found: 0 }));
        let removed = [all[0].clone(), all[2].clone(), all[3].clone()];
        assert_eq!(against(&removed, anchor), other);
        // A trail with a gap can be accepted too.
        assert_eq!(against(&removed, accepted(&removed[..2])), None);
    }

    #[test]
    fn every_way_to_tamper_with_it_shows() {
        let all = rows(&["a", "b", "c"]);
        let mut changed = all.clone();
        changed[1].1 = "B".into();
        assert_eq!(checked(&changed, None), Some(TrailDefect::Changed { number: 2 }));
        let removed = [all[0].clone(), all[2].clone()];
        assert_eq!(checked(&removed, None), Some(TrailDefect::Missing { number: 2 }));
        let renumbered = [all[0].clone(), (2, all[2].1.clone(), all[2].2.clone())];
        assert_eq!(checked(&renumbered, None), Some(TrailDefect::Changed { number: 2 }));
        let cut = TrailDefect::Cut { kept: 3, found: 2 };
        assert_eq!(checked(&all[..2], head(&all)), Some(cut));
        assert_eq!(checked(&[], head(&all)), Some(TrailDefect::Cut { kept: 3, found: 0 }));
        let rewritten = rows(&["a", "B", "c", "d"]);
        assert_eq!(checked(&rewritten, head(&all)), Some(TrailDefect::Rewritten { number: 3 }));
    }
}
