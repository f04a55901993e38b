//! Names that mean the same in another spelling, and names that were probably meant.
//!
//! Servers call their tools `get-env`, programs like to write `getEnv` or `get_env`. Both are one name in two spellings: they
//! have the same key. Whoever resolves a spelling takes the exact name first, and refuses a key that two names have.

/// Returns the key under which spellings of one name are equal: its letters and digits in lower case. A name that has none is
/// its own key.
pub(crate) fn fold(name: &str) -> String {
    let key: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if key.is_empty() { name.into() } else { key }
}
