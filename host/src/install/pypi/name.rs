//! Compares names of Python packages, which have many spellings.

/// Returns the normal spelling of a name: lower case, with single dashes.
pub(in super::super) fn normalize(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Reports whether two names mean the same package.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    normalize(one) == normalize(other)
}

#[cfg(test)]
mod tests {
    use super::is_same_name;

    #[test]
    fn all_spellings_mean_the_same() {
        for name in ["Friendly-Bard", "friendly_bard", "friendly.bard", "FRIENDLY--._bard"] {
            assert!(is_same_name(name, "friendly-bard"), "{name}");
        }
        assert!(!is_same_name("friendlybard", "friendly-bard"));
    }
}
