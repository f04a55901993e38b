//! One condition on one argument.

use super::{host, likeness, path};
use crate::model::{is_hidden, redact};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::{self, Write};

/// Longest text of a condition: what is longer is no path or name that a person could judge.
pub(super) const TEXT_LIMIT: usize = 1024;

/// Longest name of an argument.
pub(super) const NAME_LIMIT: usize = 128;

/// One condition on one argument. A grant holds only if all of its conditions do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    /// The name of the argument, at the top of the call's object.
    pub argument: String,
    /// What it must be.
    pub is: Condition,
}

/// What an argument must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// A path of this folder, or below it; of a list, every one. Only the path's words are looked at, not what links there are.
    Under(String),
    /// A URL of this host, by `http` or `https`; of a list, every one. Without a port it is the usual one that is meant.
    Host(String),
    /// Exactly this.
    Equals(Value),
}

impl Constraint {
    /// Returns a condition on an argument.
    pub fn new(argument: impl Into<String>, is: Condition) -> Constraint {
        Constraint { argument: argument.into(), is }
    }

    /// Returns whether arguments meet the condition. An argument that is not there meets none.
    pub fn holds(&self, arguments: &Value) -> bool {
        let given = arguments.as_object().and_then(|given| given.get(&self.argument));
        given.is_some_and(|given| match &self.is {
            Condition::Under(folder) => each(given, |text| path::is_under(text, folder)),
            Condition::Host(host) => each(given, |text| host::is_at(text, host)),
            Condition::Equals(value) => given == value,
        })
    }

    /// Returns whether arguments meet all of some conditions. Where one of these is on a path or a URL, there must be no other in
    /// the arguments, at whatever depth, that no condition is on: who allows a folder or a host means that one alone.
    pub fn all_hold(constraints: &[Constraint], arguments: &Value) -> bool {
        constraints.iter().all(|constraint| constraint.holds(arguments))
            && (!constraints.iter().any(Constraint::is_of_place)
                || !Constraint::leave_free(constraints, arguments))
    }

    /// Returns whether arguments have a path or a URL that none of some conditions is on.
    pub(super) fn leave_free(constraints: &[Constraint], arguments: &Value) -> bool {
        let held = |name: &str| constraints.iter().any(|constraint| constraint.argument == name);
        let given = arguments.as_object().into_iter().flatten();
        given.into_iter().any(|(name, value)| {
            !held(name) && likeness::leads_elsewhere(name, value)
                || likeness::leads_elsewhere("", &json!({ name: null }))
        })
    }

    /// Whether the condition is on a path or a URL.
    fn is_of_place(&self) -> bool {
        matches!(self.is, Condition::Under(_) | Condition::Host(_))
    }

    /// Returns why no argument could ever meet the condition, as the end of a sentence; nothing if one can.
    pub fn flaw(&self) -> Option<&'static str> {
        let name_fits = (1..=NAME_LIMIT).contains(&self.argument.len());
        if !name_fits || self.argument.chars().any(is_hidden) {
            return Some("is no name of an argument");
        }
        match &self.is {
            Condition::Under(folder) if path::place(folder).is_none() => {
                Some("is under no plain folder")
            }
            Condition::Host(host) if host::named(host).is_none() => Some("is at no plain host"),
            Condition::Equals(value) if value.to_string().len() > TEXT_LIMIT => {
                Some("has a value that is too long to judge")
            }
            _ => None,
        }
    }
}

/// Whether something holds for a text, or for every text of a list that has some.
fn each(given: &Value, holds: impl Fn(&str) -> bool) -> bool {
    match given {
        Value::String(text) => holds(text),
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| item.as_str().is_some_and(&holds))
        }
        _ => false,
    }
}

/// For people: `` `path` under `/home/ann/notes` ``. Whatever the texts are, they end where they seem to.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote(f, &self.argument)?;
        match &self.is {
            Condition::Under(folder) => {
                f.write_str(" under ")?;
                quote(f, folder)
            }
            Condition::Host(host) => {
                f.write_str(" at the host ")?;
                quote(f, host)
            }
            Condition::Equals(value) => {
                f.write_str(" equal to ")?;
                // Under its name: that may be what makes it a secret.
                match &redact(&json!({ &self.argument: value }))[&self.argument] {
                    Value::String(text) => quote(f, text),
                    value => quote(f, &value.to_string()),
                }
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('`')?;
    for c in text.chars() {
        match is_hidden(c) || c == '`' {
            true => write!(f, "{}", c.escape_unicode())?,
            false => f.write_char(c)?,
        }
    }
    f.write_char('`')
}

#[cfg(test)]
mod tests {
    use super::{Condition, Constraint};
    use serde_json::{Value, json};

    fn equals(argument: &str, value: Value) -> Constraint {
        Constraint::new(argument, Condition::Equals(value))
    }

    #[test]
    fn an_argument_that_is_not_there_meets_nothing() {
        for is in [
            Condition::Equals(Value::Null),
            Condition::Under("/".into()),
            Condition::Host("h".into()),
        ] {
            let constraint = Constraint::new("x", is);
            for arguments in [json!({}), json!({ "X": null }), json!(null), json!([null])] {
                assert!(!constraint.holds(&arguments), "{constraint} {arguments}");
            }
        }
        assert!(equals("x", Value::Null).holds(&json!({ "x": null })));
    }

    #[test]
    fn equal_is_exactly_equal() {
        let acme = equals("owner", json!("acme"));
        assert!(acme.holds(&json!({ "owner": "acme", "repo": "x" })));
        for other in [json!("Acme"), json!("acme "), json!(["acme"]), json!("аcme"), json!(1)] {
            assert!(!acme.holds(&json!({ "owner": other })), "{other}");
        }
        assert!(
            equals("n", json!({ "a": 1, "b": [2] })).holds(&json!({ "n": { "b": [2], "a": 1 } }))
        );
        assert!(!equals("n", json!(1)).holds(&json!({ "n": "1" })));
        assert!(!equals("n", json!(1)).holds(&json!({ "n": true })));
    }

    #[test]
    fn of_a_list_every_one_must_hold_and_there_must_be_one() {
        let under = Constraint::new("paths", Condition::Under("/n".into()));
        assert!(under.holds(&json!({ "paths": ["/n/a", "/n/b/c"] })));
        for other in [
            json!([]),
            json!(["/n/a", "/m"]),
            json!(["/n/a", 1]),
            json!([["/n/a"]]),
            json!({ "0": "/n/a" }),
        ] {
            assert!(!under.holds(&json!({ "paths": other })), "{other}");
        }
    }

    #[test]
    fn all_of_some_conditions_hold_or_they_do_not() {
        let both = [equals("owner", json!("acme")), equals("repo", json!("site"))];
        assert!(Constraint::all_hold(&both, &json!({ "owner": "acme", "repo": "site" })));
        assert!(!Constraint::all_hold(&both, &json!({ "owner": "acme", "repo": "other" })));
        assert!(!Constraint::all_hold(&both, &json!({ "owner": "acme" })));
        assert!(Constraint::all_hold(&[], &json!({})));
    }

    #[test]
    fn a_folder_or_a_host_is_meant_alone() {
        let under = [Constraint::new("path", Condition::Under("/n".into()))];
        let host = [Constraint::new("url", Condition::Host("a.example".into()))];
        let and = |first: Value, name: &str, value: &Value| {
            let mut arguments = first;
            arguments[name] = value.clone();
            arguments
        };
        let (path, url) = (json!({ "path": "/n/a" }), json!({ "url": "https://a.example/" }));
        for (name, value) in [
            ("content", json!("a text\nwith /etc/passwd in it")),
            ("limit", json!(5)),
            ("options", json!({ "deep": [true, "x"] })),
        ] {
            assert!(Constraint::all_hold(&under, &and(path.clone(), name, &value)), "{value}");
            assert!(Constraint::all_hold(&host, &and(url.clone(), name, &value)), "{value}");
        }
        for (name, value) in [
            ("other", json!("/etc/passwd")),
            ("destination", json!("secret")),
            ("files", json!([{ "path": "b" }])),
            ("options", json!({ "a": [{ "b": "/etc/passwd" }] })),
            ("callback", json!("https://evil.example/")),
            ("/etc/passwd", json!(true)),
        ] {
            assert!(!Constraint::all_hold(&under, &and(path.clone(), name, &value)), "{value}");
            assert!(!Constraint::all_hold(&host, &and(url.clone(), name, &value)), "{value}");
        }
        // Both may be meant, and what is exactly one thing may be any.
        let both = [under[0].clone(), host[0].clone()];
        let arguments = and(path, "url", &url["url"]);
        assert!(Constraint::all_hold(&both, &arguments));
        assert!(!Constraint::all_hold(&under, &arguments));
        let owner = [equals("owner", json!("acme"))];
        assert!(Constraint::all_hold(&owner, &json!({ "owner": "acme", "path": "docs/a.md" })));
    }

    #[test]
    fn people_read_what_it_is_and_no_text_ends_early() {
        let shown = |argument: &str, is| Constraint::new(argument, is).to_string();
        let under = |folder: &str| Condition::Under(folder.into());
        assert_eq!(shown("path", under("/home/ann/notes")), "`path` under `/home/ann/notes`");
        assert_eq!(
            shown("url", Condition::Host("a.example".into())),
            "`url` at the host `a.example`"
        );
        assert_eq!(equals("n", json!(5)).to_string(), "`n` equal to `5`");
        assert_eq!(
            shown("path", under("/a` or `/b\n\u{202e}")),
            "`path` under `/a\\u{60} or \\u{60}/b\\u{a}\\u{202e}`"
        );
        assert!(!equals("api_key", json!("hunter2-hunter2")).to_string().contains("hunter2"));
    }

    #[test]
    fn conditions_that_nothing_could_meet_are_told() {
        for (argument, is) in [
            ("", Condition::Equals(json!(1))),
            ("a\u{200b}", Condition::Equals(json!(1))),
            ("path", Condition::Under("".into())),
            ("path", Condition::Under("../x".into())),
            ("path", Condition::Under("/a\\b".into())),
            ("url", Condition::Host("https://a.example/".into())),
            ("url", Condition::Host("a.example.".into())),
            ("x", Condition::Equals(json!("x".repeat(2_000)))),
        ] {
            assert!(Constraint::new(argument, is.clone()).flaw().is_some(), "{argument} {is:?}");
        }
        for is in [
            Condition::Under("~/x/".into()),
            Condition::Host("a.example:8080".into()),
            Condition::Equals(Value::Null),
        ] {
            assert_eq!(Constraint::new("x", is.clone()).flaw(), None, "{is:?}");
        }
    }

    #[test]
    fn it_is_written_as_people_write_it() {
        let is = serde_json::to_value(Condition::Under("/a".into())).expect("JSON");
        assert_eq!(is, json!({ "under": "/a" }));
    }
}
