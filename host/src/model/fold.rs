//! Names that mean the same in another spelling, and names that were probably meant.
//!
//! Servers call their tools `get-env`, programs like to write `getEnv` or `get_env`. Both are one
//! name in two spellings: they have the same key. Whoever resolves a spelling takes the exact name
//! first, and refuses a key that two names have.

/// Returns the key under which spellings of one name are equal: its letters and digits in lower
/// case. A name that has none is its own key.
pub fn fold(name: &str) -> String {
    let key: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if key.is_empty() { name.into() } else { key }
}

/// Returns the words of a name, as they were written: it is taken apart at everything that is no
/// letter or digit, and where a capital begins a word, as in `getEnv` and in `URLParser`.
pub(crate) fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start: Option<usize> = None;
    let mut before: Option<char> = None;
    let mut rest = name.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if !c.is_alphanumeric() {
            words.extend(start.take().map(|from| &name[from..at]));
            before = None;
            continue;
        }
        let next_is_lower = rest.peek().is_some_and(|(_, next)| next.is_lowercase());
        let begins = before
            .is_some_and(|before| c.is_uppercase() && (!before.is_uppercase() || next_is_lower));
        if begins {
            words.extend(start.take().map(|from| &name[from..at]));
        }
        start.get_or_insert(at);
        before = Some(c);
    }
    words.extend(start.map(|from| &name[from..]));
    words
}
