//! Finds the name that a spelling means, or probably means.

use super::fold;

/// Characters of a name that are compared: valid names are no longer, but the text they are
/// compared with may be.
const COMPARED_LENGTH: usize = 128;

/// The number of names that are suggested for a wrong one.
const MAX_SUGGESTIONS: usize = 3;

/// The result of looking up a spelling among names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NameMatch<'n> {
    /// This name: it is spelled exactly so, or it is the only one with this key.
    One(&'n str),
    /// Any of these names.
    Several(Vec<&'n str>),
    /// No name.
    None,
}

/// Returns the name that a spelling means: the exact name, or the only one that it is another
/// spelling of.
pub(crate) fn match_name<'n>(
    spelled: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> NameMatch<'n> {
    if let Some(name) = names.clone().find(|name| *name == spelled) {
        return NameMatch::One(name);
    }
    let key = fold(spelled);
    let mut same: Vec<&str> = names.filter(|name| fold(name) == key).collect();
    same.dedup();
    match same.as_slice() {
        [] => NameMatch::None,
        [name] => NameMatch::One(name),
        _ => NameMatch::Several(same),
    }
}

/// Returns up to three of the candidates that are similar to `name`, the most similar first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let key: String = fold(name).chars().take(COMPARED_LENGTH).collect();
    // One slip in three letters: more makes another word. A single letter has no near ones.
    let allowed_distance = match key.chars().count() {
        0 | 1 => 0,
        letters => (letters / 3).max(1),
    };
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other: String = fold(candidate).chars().take(COMPARED_LENGTH).collect();
            let distance = strsim::osa_distance(&key, &other);
            let part = key.len() >= 3 && (other.contains(&key) || key.contains(&other));
            match distance <= allowed_distance {
                true => Some((distance, candidate)),
                // Half a name, or a name with an addition, ranks behind names with few slips.
                false if part && other.len() >= 3 => Some((allowed_distance + 1, candidate)),
                false => None,
            }
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::model::{fold, words};

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for name in ["get-env", "get_env", "getEnv", "GetEnv", "get.env"] {
            assert_eq!(fold(name), "getenv", "{name}");
        }
        assert_ne!(fold("get-env"), fold("set-env"));
        assert_eq!(fold("Größe-2"), "größe2");
    }

    #[test]
    fn names_without_letters_stay_apart() {
        assert_eq!((fold("__"), fold("--")), ("__".into(), "--".into()));
    }

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("API-get-user"), ["API", "get", "user"]);
        assert_eq!(words("getURLParser2"), ["get", "URL", "Parser2"]);
        assert_eq!(words("read_text_file"), ["read", "text", "file"]);
        assert_eq!(words("--"), [""; 0]);
    }

    #[test]
    fn what_was_probably_meant_is_found_and_nothing_else() {
        let tools = ["search_issues", "search_code", "create_issue", "get_me"];
        assert_eq!(nearest("serach_issues", tools), ["search_issues"]);
        assert_eq!(nearest("searchIssue", tools), ["search_issues"]);
        assert_eq!(nearest("search", tools), ["search_code", "search_issues"]);
        assert!(nearest("drop_table", tools).is_empty());
        assert!(nearest("", tools).is_empty());
        assert!(nearest("c", ["a", "b"]).is_empty());
        assert!(nearest(&"x".repeat(100_000), tools).is_empty());
    }
}
