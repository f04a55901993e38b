//! The rules for grants of an older pml: an argument that no condition named was free.
//!
//! Such a grant covers no call any more. If it would have covered a call, the next answer to that
//! call replaces it.

use super::condition::holds_for_each;
use super::{Condition, Constraint, argument_kind, host, path};
use serde_json::Value;

impl Constraint {
    /// Reports whether the arguments were covered under the older rules, by which arguments that no
    /// condition names were free.
    pub(crate) fn covered_under_older_rules(constraints: &[Constraint], arguments: &Value) -> bool {
        let Some(given) = arguments.as_object() else { return false };
        let named = |name: &str| constraints.iter().any(|constraint| constraint.argument == name);
        let of_place =
            |one: &Constraint| matches!(one.is, Condition::Under(_) | Condition::Host(_));
        constraints
            .iter()
            .all(|constraint| constraint.held_under_older_rules(given.get(&constraint.argument)))
            && (!constraints.iter().any(of_place)
                || !given.iter().any(|(name, value)| {
                    !named(name) && argument_kind::leads_elsewhere(name, value)
                }))
    }

    /// Reports whether the condition held for a value. Names meant arguments at the top level, to
    /// the letter.
    fn held_under_older_rules(&self, given: Option<&Value>) -> bool {
        given.is_some_and(|given| match &self.is {
            Condition::Under(folder) => holds_for_each(given, |text| was_under(text, folder)),
            Condition::Host(host) => holds_for_each(given, |text| was_at(text, host)),
            Condition::Equals(value) => given == value,
            Condition::Any => true,
        })
    }
}

fn was_under(text: &str, folder: &str) -> bool {
    let (path, folder) = (path::resolve_lexically(text), path::resolve_lexically(folder));
    path.is_some_and(|path| folder.is_some_and(|folder| path.lies_in(&folder)))
}

/// Reports whether a URL was at a host: one name meant both schemes.
fn was_at(url: &str, name: &str) -> bool {
    host::is_at_host(url, name) || host::is_at_host(url, &format!("http://{name}"))
}

#[cfg(test)]
mod tests {
    use super::{Condition, Constraint};
    use serde_json::json;

    #[test]
    fn what_no_condition_named_was_free_unless_it_led_elsewhere() {
        let under = [Constraint::new("path", Condition::Under("/n".into()))];
        let before = |arguments| Constraint::covered_under_older_rules(&under, &arguments);
        assert!(before(json!({ "path": "/n/a", "overwrite": true, "content": "x y" })));
        for other in [
            json!({ "path": "/m/a" }),
            json!({ "path": "/n/a", "to": "/etc/passwd" }),
            json!({ "path": "/n/a", "options": { "callback": "https://evil.example/" } }),
            json!({ "overwrite": true }),
            json!(null),
        ] {
            assert!(!before(other.clone()), "{other}");
        }
        let host = [Constraint::new("url", Condition::Host("a.example".into()))];
        for url in ["http://a.example/x", "https://a.example/x"] {
            assert!(Constraint::covered_under_older_rules(&host, &json!({ "url": url })), "{url}");
        }
        let owner = [Constraint::new("owner", Condition::Equals("acme".into()))];
        let arguments = json!({ "owner": "acme", "path": "/docs/a.md" });
        assert!(Constraint::covered_under_older_rules(&owner, &arguments));
    }
}
