//! Offers that are made, and offers that are not.

use super::super::{LexicalPaths, PathResolver, PathStart, ResolvedPath};
use super::{offered, offered_with};
use crate::model::{Condition, Constraint};
use serde_json::{Value, json};

fn words(offers: &[Vec<Constraint>]) -> Vec<String> {
    let one = |offer: &Vec<Constraint>| {
        offer.iter().map(Constraint::to_string).collect::<Vec<_>>().join(", ")
    };
    offers.iter().map(one).collect()
}

fn shown(arguments: &Value) -> Vec<String> {
    let offers = offered(arguments);
    for offer in &offers {
        assert!(Constraint::cover(offer, arguments, &LexicalPaths), "{offer:?} {arguments}");
        assert!(!offer.is_empty());
        let mut more = arguments.clone();
        more["one_more"] = Value::Null;
        assert!(!Constraint::cover(offer, &more, &LexicalPaths), "{offer:?} {more}");
    }
    assert!(offers.len() <= 4);
    words(&offers)
}

#[test]
fn a_path_is_offered_by_its_folder() {
    for (arguments, offer) in [
        (json!({ "path": "/home/ann/notes/a.txt" }), "`path` under `/home/ann/notes`"),
        (json!({ "path": "/home/ann/notes/" }), "`path` under `/home/ann/notes`"),
        (json!({ "repo_path": "/home/ann/site" }), "`repo_path` under `/home/ann/site`"),
        (json!({ "directory": "src/lib" }), "`directory` under `src/lib`"),
        (json!({ "file": "a.txt" }), "`file` under `.`"),
        (json!({ "where": "/n/x/../a.txt" }), "`where` under `/n`"),
        (json!({ "path": "/passwords" }), "`path` under `/passwords`"),
        (json!({ "uri": "file:///a/b%20c/d" }), "`uri` under `/a/b c`"),
        (json!({ "paths": ["/a/b/c.txt", "/a/b/d/e.txt"] }), "`paths` under `/a/b`"),
        (json!({ "path": "~/a.txt" }), "`path` equal to `~/a.txt`"),
        (json!({ "path": "/app/[id].ts" }), "`path` equal to `/app/[id].ts`"),
    ] {
        assert_eq!(shown(&arguments), [offer], "{arguments}");
    }
}

#[test]
fn every_argument_has_its_condition_and_what_is_free_is_said() {
    let write = json!({ "content": "Hello.", "path": "/n/a.txt", "overwrite": true, "mode": "w" });
    assert_eq!(
        shown(&write),
        [
            "`path` under `/n`, `overwrite` equal to `true`, `mode` equal to `w`, `content`: anything"
        ]
    );
    let edit = json!({ "path": "/n/a", "edits": [{ "oldText": "a", "newText": "b" }], "x": null });
    assert_eq!(shown(&edit), ["`path` under `/n`, `x` equal to `null`, `edits`: anything"]);
    let deep = json!({ "options": { "path": "/n/a", "force": false }, "tags": [], "to": {} });
    assert_eq!(
        shown(&deep),
        ["`path` of `options` under `/n`, `force` of `options` equal to `false`, \
          `tags` equal to `[]`, `to` equal to `{}`"]
    );
    let search = json!({ "query": "weather in Rome", "limit": 5 });
    assert_eq!(shown(&search), ["`limit` equal to `5`, `query`: anything"]);
}

#[test]
fn a_number_and_a_branch_may_be_anything_after_what_is_strict() {
    let read = json!({ "path": "/n/a", "offset": 3 });
    assert_eq!(
        shown(&read),
        ["`path` under `/n`, `offset` equal to `3`", "`path` under `/n`, `offset`: anything"]
    );
    let branch = json!({ "owner": "acme", "repo": "site", "branch": "main", "title": "x" });
    let repository = "`owner` equal to `acme`, `repo` equal to `site`";
    assert_eq!(
        shown(&branch),
        [
            format!("{repository}, `branch` equal to `main`, `title`: anything"),
            format!("{repository}, `branch`: anything, `title`: anything"),
        ]
    );
    assert_eq!(shown(&json!({ "project": 7 })), ["`project` equal to `7`"]);
}

#[test]
fn nothing_that_leads_somewhere_or_does_something_is_left_free() {
    let both = json!({ "source": "/a/b/x", "destination": "/c/d/y" });
    assert_eq!(shown(&both), ["`source` under `/a/b`, `destination` under `/c/d`"]);
    for odd in ["/c/../../y", "C:\\y", "/c/$Y/z", "ssh://a.example/x"] {
        let arguments = json!({ "source": "/a/b/x", "target_path": odd });
        assert_eq!(
            shown(&arguments),
            [format!("`source` under `/a/b`, `target_path` equal to `{odd}`")]
        );
    }
    for (name, value) in [
        ("command", json!("ls -l")),
        ("args", json!(["-l", "two words"])),
        ("query", json!("DELETE FROM users WHERE true")),
        ("sql", json!("select 1")),
        ("callback", json!("https://b.example@evil.example/")),
        ("text", json!("/etc/passwd")),
        ("files", json!([{ "path": "c" }])),
        ("mixed", json!(["/c/d", 1])),
        ("to", json!("c/d.txt")),
    ] {
        let arguments = json!({ name: value });
        for offer in offered(&arguments) {
            assert!(offer.iter().all(|one| one.is != Condition::Any), "{offer:?}");
        }
        // No offer is made for a value that cannot be judged.
        let long = json!({ name: [value, { "path": "/x" }, "y ".repeat(500)] });
        assert_eq!(shown(&long), Vec::<String>::new(), "{long}");
    }
    let patch =
        json!({ "path": "/n/a", "patch": format!("--- a/x\n+++ b/y\n{}", "z\n".repeat(500)) });
    assert_eq!(shown(&patch), Vec::<String>::new());
}

#[test]
fn a_host_is_offered() {
    let at = |url: &str| shown(&json!({ "url": url }));
    assert_eq!(at("https://A.example/x?y"), ["`url` at the host `a.example`"]);
    assert_eq!(at("http://a.example:8080/"), ["`url` at the host `http://a.example:8080`"]);
    let urls = json!({ "urls": ["https://a.example/1", "https://a.example/2"] });
    assert_eq!(shown(&urls), ["`urls` at the host `a.example`"]);
    let urls = json!({ "urls": ["https://a.example/1", "https://b.example/2"] });
    let both = "`urls` equal to `[\"https://a.example/1\",\"https://b.example/2\"]`";
    assert_eq!(shown(&urls), [both]);
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
        json!({ "content": "all is free, and so nothing is chosen" }),
        json!({ "path": format!("/{}/x", "a".repeat(5_000)) }),
        json!({ "channel": "x".repeat(5_000) }),
        json!({ "channel": "a\u{200b}b" }),
        json!({ "path": "/c/\u{202e}y" }),
        json!({ "path": "/a/b", "x\u{202e}": 1 }),
        json!({ "path": "/a/b", "x".repeat(200): 1 }),
        json!({ "channel": "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" }),
        json!({ "path": "/a/b", "api_key": "hunter2-hunter2" }),
        many,
    ] {
        assert_eq!(words(&offered(&arguments)), Vec::<String>::new(), "{arguments}");
    }
    let nine: serde_json::Map<_, _> =
        (0..9).map(|n| (format!("n{n}"), json!("x".repeat(90)))).collect();
    let mut long: Value = nine.into();
    long["path"] = json!(format!("/{}/x", "a".repeat(590)));
    assert_eq!(words(&offered(&long)), Vec::<String>::new());
}

#[test]
fn what_an_older_grant_said_is_offered_first_with_the_rest_named() {
    let was = [Constraint::new("path", Condition::Under("/n".into()))];
    let call = json!({ "path": "/n/deep/a.txt", "content": "x y", "overwrite": true });
    assert_eq!(
        words(&offered_with(&call, &was, &LexicalPaths)),
        [
            "`path` under `/n`, `overwrite` equal to `true`, `content`: anything",
            "`path` under `/n/deep`, `overwrite` equal to `true`, `content`: anything",
        ]
    );
    // A condition that no longer holds is replaced by one that does.
    let was = [Constraint::new("url", Condition::Host("a.example".into()))];
    let call = json!({ "url": "http://a.example/x" });
    assert_eq!(
        words(&offered_with(&call, &was, &LexicalPaths)),
        ["`url` at the host `http://a.example`"]
    );
    let was = [Constraint::new("/etc", Condition::Equals(json!(1)))];
    let call = json!({ "/etc": 1 });
    assert_eq!(words(&offered_with(&call, &was, &LexicalPaths)[..1]), ["`/etc` equal to `1`"]);
}

/// A machine on which `/tmp` is a link to `/private/tmp`.
struct Linked;

impl PathResolver for Linked {
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath> {
        let mut place = LexicalPaths.follow(start, steps)?;
        if start == PathStart::Root && place.names.first().is_some_and(|name| name == "tmp") {
            place.names.insert(0, "private".into());
        }
        Some(place)
    }

    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath> {
        Some(folder)
    }
}

#[test]
fn where_a_path_leads_through_a_link_that_is_offered() {
    let offers = |path: &str| words(&offered_with(&json!({ "path": path }), &[], &Linked));
    assert_eq!(offers("/tmp/a/b"), ["`path` under `/private/tmp/a`"]);
    assert_eq!(offers("/home/a/b"), ["`path` under `/home/a`"]);
}
