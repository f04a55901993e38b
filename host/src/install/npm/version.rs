//! Orders versions by the rules of semver.

use std::cmp::Ordering;

/// Compares two versions. The part after a `+` is ignored. A text that is no version is older than
/// any version.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (parts(one), parts(other));
    one.0.cmp(&other.0).then_with(|| match (one.1.is_empty(), other.1.is_empty()) {
        (true, true) => Ordering::Equal,
        // A release is newer than its prereleases.
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => one.1.cmp(&other.1),
    })
}

/// Reports whether a version is a prerelease.
pub(super) fn is_prerelease(version: &str) -> bool {
    !parts(version).1.is_empty()
}

/// A part of a prerelease. Numbers come before words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum PrereleasePart<'a> {
    Number(u64),
    Word(&'a str),
}

fn parts(version: &str) -> ([u64; 3], Vec<PrereleasePart<'_>>) {
    let version = version.split('+').next().unwrap_or_default();
    let (core, prerelease) = version.split_once('-').unwrap_or((version, ""));
    let mut numbers = core.split('.').map(|part| part.parse().unwrap_or(0));
    let core = std::array::from_fn(|_| numbers.next().unwrap_or(0));
    let part = |part| match str::parse(part) {
        Ok(number) => PrereleasePart::Number(number),
        Err(_) => PrereleasePart::Word(part),
    };
    (core, prerelease.split('.').filter(|part| !part.is_empty()).map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::{compare, is_prerelease};
    use std::cmp::Ordering;

    #[test]
    fn versions_are_in_the_order_of_semver() {
        let sorted = [
            "0.9.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.9.0",
            "1.10.0",
            "2025.12.1",
            "2026.8.31",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare("1.0.0+a", "1.0.0+b"), Ordering::Equal);
        assert!(is_prerelease("1.0.0-rc.1") && !is_prerelease("1.0.0"));
    }
}
