//! Compares names of Python packages, which have many spellings.

/// Returns the normal spelling of a name: lower case, with single dashes.
pub(super) fn normal(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Reports whether two names mean the same package.
pub(super) fn same(one: &str, other: &str) -> bool {
    normal(one) == normal(other)
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn all_spellings_mean_the_same() {
        for name in ["Friendly-Bard", "friendly_bard", "friendly.bard", "FRIENDLY--._bard"] {
            assert!(same(name, "friendly-bard"), "{name}");
        }
        assert!(!same("friendlybard", "friendly-bard"));
    }
}
