//! The spellings that a program may use for a tool: its name, and the same in camel and in snake
//! case.

use super::text::is_identifier;
use crate::model::{fold, words};
use std::collections::{BTreeMap, BTreeSet};

/// Names that are never a server or a tool in the sandbox, because conversions of a value read
/// properties with these names. Only `mcp.call("server:then")` reaches such a tool.
const CONVERSIONS: [&str; 5] = ["then", "toJSON", "valueOf", "constructor", "toString"];

/// Reports whether a tool of that name is a property of its server.
pub(super) fn is_tool(name: &str) -> bool {
    !CONVERSIONS.contains(&name)
}

/// Reports whether a server of that name is a property of `mcp`, which has its own `call`.
pub(super) fn is_server(name: &str) -> bool {
    is_tool(name) && name != "call"
}

/// Returns the other spellings of each name. Spellings that could mean two names are left out.
pub(super) fn aliases<'n>(
    names: &BTreeSet<&'n str>,
    is_property: fn(&str) -> bool,
) -> BTreeMap<&'n str, Vec<String>> {
    let mut folded: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *folded.entry(fold(name)).or_default() += 1;
    }
    let mut all = BTreeMap::new();
    for name in names {
        let mut spellings = Vec::new();
        if folded.get(&fold(name)) == Some(&1) {
            for spelling in [camel_case(name), snake_case(name)] {
                let is_new = !names.contains(spelling.as_str()) && !spellings.contains(&spelling);
                if is_new && is_identifier(&spelling) && is_property(&spelling) {
                    spellings.push(spelling);
                }
            }
        }
        all.insert(*name, spellings);
    }
    all
}

/// Returns a name in camel case.
pub(super) fn camel_case(name: &str) -> String {
    let mut spelling = String::new();
    for (index, word) in words(name).into_iter().enumerate() {
        let mut characters = word.chars();
        match (index, characters.next()) {
            (0, _) => spelling.push_str(&word.to_lowercase()),
            (_, Some(first)) => {
                spelling.extend(first.to_uppercase());
                spelling.push_str(&characters.as_str().to_lowercase());
            }
            (_, None) => {}
        }
    }
    spelling
}

/// Returns a name in snake case.
fn snake_case(name: &str) -> String {
    words(name).iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::{aliases, camel_case, is_server, is_tool, snake_case};

    #[test]
    fn a_name_has_a_camel_and_a_snake_spelling() {
        assert_eq!(
            (camel_case("get-env"), snake_case("get-env")),
            ("getEnv".into(), "get_env".into())
        );
        assert_eq!(camel_case("API-get-user"), "apiGetUser");
        assert_eq!(snake_case("getURLParser"), "get_url_parser");
    }

    #[test]
    fn what_could_mean_two_names_is_no_spelling() {
        let names = ["get-env", "get_env", "list-all", "new-then"].into();
        let all = aliases(&names, is_tool);
        assert!(all["get-env"].is_empty() && all["get_env"].is_empty());
        assert_eq!(all["list-all"], ["listAll", "list_all"]);
    }

    #[test]
    fn conversions_of_a_value_name_no_tool() {
        assert!(!is_tool("then") && !is_tool("toJSON") && is_tool("call") && !is_server("call"));
        assert!(aliases(&["to-JSON"].into(), is_tool)["to-JSON"].iter().all(|it| it != "toJSON"));
        assert!(aliases(&["to-string"].into(), is_tool)["to-string"] == ["to_string"]);
    }
}
