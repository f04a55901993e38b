//! What holds, and what does not.

use super::{Condition, Constraint};
use serde_json::{Value, json};

fn equals(argument: &str, value: Value) -> Constraint {
    Constraint::new(argument, Condition::Equals(value))
}

#[test]
fn an_argument_that_is_not_there_meets_nothing() {
    for is in
        [Condition::Equals(Value::Null), Condition::Under("/".into()), Condition::Host("h".into())]
    {
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
    assert!(equals("n", json!({ "a": 1, "b": [2] })).holds(&json!({ "n": { "b": [2], "a": 1 } })));
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
    assert_eq!(shown("url", Condition::Host("a.example".into())), "`url` at the host `a.example`");
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
