//! Conditions that hold, that are read, and that are refused.

use super::super::LexicalPaths;
use super::{Condition, Constraint};
use serde_json::{Value, json};

fn equals(argument: &str, value: Value) -> Constraint {
    Constraint::new(argument, Condition::Equals(value))
}

fn covered(constraint: &Constraint, arguments: &Value) -> bool {
    Constraint::cover(std::slice::from_ref(constraint), arguments, &LexicalPaths)
}

#[test]
fn equal_is_exactly_equal() {
    let acme = equals("owner", json!("acme"));
    assert!(covered(&acme, &json!({ "owner": "acme" })));
    for other in [json!("Acme"), json!("acme "), json!(["acme"]), json!("аcme"), json!(1)] {
        assert!(!covered(&acme, &json!({ "owner": other })), "{other}");
    }
    let deep = equals("n", json!({ "a": 1, "b": [2] }));
    assert!(covered(&deep, &json!({ "n": { "b": [2], "a": 1 } })));
    assert!(!covered(&deep, &json!({ "n": { "b": [2], "a": 1, "c": null } })));
    assert!(!covered(&equals("n", json!(1)), &json!({ "n": "1" })));
    assert!(!covered(&equals("n", json!(1)), &json!({ "n": true })));
    assert!(!covered(&equals("n", json!(0)), &json!({ "n": false })));
}

#[test]
fn a_very_long_list_is_asked_about() {
    let under = Constraint::new("paths", Condition::Under("/n".into()));
    let list = |count| json!({ "paths": vec!["/n/a"; count] });
    assert!(covered(&under, &list(256)) && !covered(&under, &list(257)));
}

#[test]
fn people_read_what_it_is_and_no_text_ends_early() {
    let shown = |argument: &str, is| Constraint::new(argument, is).to_string();
    let under = |folder: &str| Condition::Under(folder.into());
    assert_eq!(shown("path", under("/home/ann/notes")), "`path` under `/home/ann/notes`");
    assert_eq!(shown("url", Condition::Host("a.example".into())), "`url` at the host `a.example`");
    assert_eq!(shown("content", Condition::Any), "`content`: anything");
    assert_eq!(shown("/options/path", under("/n")), "`path` of `options` under `/n`");
    assert_eq!(shown("/~1etc", Condition::Any), "`/etc`: anything");
    assert_eq!(equals("n", json!(5)).to_string(), "`n` equal to `5`");
    assert_eq!(
        shown("path", under("/a` or `/b\n\u{202e}")),
        "`path` under `/a\\u{60} or \\u{60}/b\\u{a}\\u{202e}`"
    );
    for name in ["api_key", "/deep/api_key"] {
        assert!(!equals(name, json!("hunter2-hunter2")).to_string().contains("hunter2"));
    }
}

#[test]
fn conditions_that_nothing_could_meet_are_told() {
    for (argument, is) in [
        ("", Condition::Equals(json!(1))),
        ("a\u{200b}", Condition::Equals(json!(1))),
        ("/a~2", Condition::Any),
        ("path", Condition::Under("".into())),
        ("path", Condition::Under("../x".into())),
        ("path", Condition::Under("/a\\b".into())),
        ("path", Condition::Under("/a/*".into())),
        ("path", Condition::Under("~/x".into())),
        ("url", Condition::Host("https://a.example/".into())),
        ("url", Condition::Host("a.example.".into())),
        ("x", Condition::Equals(json!("x".repeat(2_000)))),
    ] {
        assert!(Constraint::new(argument, is.clone()).flaw().is_some(), "{argument} {is:?}");
    }
    for is in [
        Condition::Under("/x/".into()),
        Condition::Under(".".into()),
        Condition::Host("a.example:8080".into()),
        Condition::Host("http://a.example".into()),
        Condition::Equals(Value::Null),
        Condition::Any,
    ] {
        assert_eq!(Constraint::new("x", is.clone()).flaw(), None, "{is:?}");
    }
}

#[test]
fn it_is_written_as_people_write_it() {
    for (is, written) in
        [(Condition::Under("/a".into()), json!({ "under": "/a" })), (Condition::Any, json!("any"))]
    {
        assert_eq!(serde_json::to_value(&is).expect("JSON"), written);
        assert_eq!(serde_json::from_value::<Condition>(written).expect("a condition"), is);
    }
    assert_eq!(Condition::Any.written(), ("any", json!(true)));
}
