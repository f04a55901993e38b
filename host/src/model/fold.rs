//! Names in different spellings.
//!
//! Servers call their tools `get-env`; programs tend to write `getEnv` or `get_env`. These are
//! spellings of one name: they have the same key. Code that resolves a spelling takes the exact
//! name first, and refuses a key that two names have.

/// Returns the key that all spellings of a name share: its letters and digits in lower case. A name
/// that has none is its own key.
pub fn fold(name: &str) -> String {
    let key: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if key.is_empty() { name.into() } else { key }
}

/// Returns the words of a name, as they are written. Words end at every character that is not a
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
