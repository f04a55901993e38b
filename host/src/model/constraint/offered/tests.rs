//! What is offered, and what is not.

use super::offered;
use crate::model::Constraint;
use serde_json::{Value, json};

fn shown(arguments: &Value) -> Vec<String> {
    let offers = offered(arguments);
    for offer in &offers {
        assert!(Constraint::all_hold(offer, arguments), "{offer:?} {arguments}");
        assert!(!offer.is_empty());
    }
    assert!(offers.len() <= 4);
    let one = |offer: &Vec<Constraint>| {
        offer.iter().map(Constraint::to_string).collect::<Vec<_>>().join(" and ")
    };
    offers.iter().map(one).collect()
}

#[test]
fn a_path_is_offered_by_its_folder() {
    for (arguments, offer) in [
        (json!({ "path": "/home/ann/notes/a.txt" }), "`path` under `/home/ann/notes`"),
        (json!({ "path": "/home/ann/notes/" }), "`path` under `/home/ann/notes`"),
        (json!({ "repo_path": "/home/ann/site" }), "`repo_path` under `/home/ann/site`"),
        (json!({ "directory": "src/lib" }), "`directory` under `src/lib`"),
        (json!({ "file": "a.txt" }), "`file` under `.`"),
        (json!({ "where": "~/notes/x/../a.txt" }), "`where` under `~/notes`"),
        (json!({ "filePath": "./src/a.rs", "text": "x" }), "`filePath` under `src`"),
        (json!({ "path": "/passwords" }), "`path` under `/passwords`"),
        (json!({ "path": "~/a.txt" }), "`path` under `~/a.txt`"),
        (json!({ "paths": ["/a/b/c.txt", "/a/b/d/e.txt"] }), "`paths` under `/a/b`"),
    ] {
        assert_eq!(shown(&arguments), [offer], "{arguments}");
    }
}

#[test]
fn no_second_path_is_left_free() {
    let both = json!({ "source": "/a/b/x", "destination": "/c/d/y" });
    assert_eq!(shown(&both), ["`source` under `/a/b` and `destination` under `/c/d`"]);
    for odd in ["/c/../../y", "/c/\u{202e}y", "C:\\y", "/c/$Y/z"] {
        let arguments = json!({ "source": "/a/b/x", "target_path": odd });
        assert_eq!(shown(&arguments), Vec::<String>::new(), "{odd}");
    }
    let named = json!({ "path": "/a/b/x", "destination": "c/y" });
    assert_eq!(shown(&named), ["`path` under `/a/b` and `destination` under `c`"]);
    for (name, free) in [
        ("files", json!([{ "path": "c" }])),
        ("options", json!({ "deep": [{ "x": "/c/d" }] })),
        ("options", json!({ "/c/d": true })),
        ("mixed", json!(["/c/d", 1])),
        ("to", json!("c/d.txt")),
        ("remote", json!("ssh://a.example/x")),
        ("options", json!({ "remote": "https://a.example/x" })),
    ] {
        for first in [
            json!({ "path": "/a/b" }),
            json!({ "url": "https://h.example/" }),
            json!({ "channel": "c" }),
        ] {
            assert!(!shown(&first).is_empty(), "{first}");
            let mut arguments = first;
            arguments[name] = free.clone();
            assert_eq!(shown(&arguments), Vec::<String>::new(), "{arguments}");
        }
    }
    let two =
        json!({ "url": "https://a.example/x", "callback": "https://b.example@evil.example/" });
    assert_eq!(shown(&two), Vec::<String>::new());
}

#[test]
fn a_repository_is_offered_whole() {
    let arguments = json!({ "owner": "acme", "repo": "site", "title": "x" });
    assert_eq!(shown(&arguments), ["`owner` equal to `acme` and `repo` equal to `site`"]);
    assert_eq!(shown(&json!({ "repository": "acme/site" })), ["`repository` equal to `acme/site`"]);
    let arguments = json!({ "owner": "acme", "repo": "site", "branch": "main" });
    let repository = "`owner` equal to `acme` and `repo` equal to `site`";
    let branch = format!("{repository} and `branch` equal to `main`");
    assert_eq!(shown(&arguments), [repository.to_owned(), branch]);
    assert_eq!(shown(&json!({ "owner": "acme" })), Vec::<String>::new());
    let arguments = json!({ "owner": "acme", "repo": "site", "path": "docs/a.md" });
    assert_eq!(shown(&arguments), [format!("{repository} and `path` under `docs`")]);
}

#[test]
fn a_host_and_a_place_are_offered() {
    assert_eq!(
        shown(&json!({ "url": "https://A.example/x?y" })),
        ["`url` at the host `a.example`"]
    );
    let urls = json!({ "urls": ["https://a.example/1", "https://a.example/2"] });
    assert_eq!(shown(&urls), ["`urls` at the host `a.example`"]);
    let urls = json!({ "urls": ["https://a.example/1", "https://b.example/2"] });
    assert_eq!(shown(&urls), Vec::<String>::new());
    assert_eq!(shown(&json!({ "channel_id": "C01" })), ["`channel_id` equal to `C01`"]);
    assert_eq!(shown(&json!({ "project": 7 })), ["`project` equal to `7`"]);
}

#[test]
fn there_are_few_and_the_most_useful_comes_first() {
    let arguments = json!({
        "database": "d", "table": "t", "branch": "b", "bucket": "u", "team": "x",
        "path": "/a/b", "url": "https://h.example/",
    });
    let shown = shown(&arguments);
    let first = "`path` under `/a` and `url` at the host `h.example`";
    assert_eq!((shown.len(), shown[0].as_str()), (4, first));
    assert_eq!(shown[1], format!("`database` equal to `d` and {first}"));
}

#[test]
fn nothing_is_offered_for_what_says_nothing_or_is_secret_or_huge() {
    let many: Value = (0..100)
        .map(|n| (format!("path{n}"), json!("/a/b")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    for arguments in [
        json!({}),
        json!(null),
        json!(["/a/b"]),
        json!({ "query": "x", "limit": 5, "deep": { "path": "/a/b" } }),
        json!({ "path": "" }),
        json!({ "path": [] }),
        json!({ "path": null }),
        json!({ "path": format!("/{}/x", "a".repeat(5_000)) }),
        json!({ "channel": "x".repeat(5_000) }),
        json!({ "channel": "a\u{200b}b" }),
        json!({ "channel": "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" }),
        many,
    ] {
        assert_eq!(shown(&arguments), Vec::<String>::new(), "{arguments}");
    }
}
