//! The conditions that a call suggests, for a person to choose from.
//!
//! **Invariant:** what is offered holds for the very call it was made from, says nothing secret, and leaves no other path or
//! URL of the call free, at whatever depth it stands: better nothing is offered than something loose.

use super::condition::{NAME_LIMIT, TEXT_LIMIT};
use super::path::{self, Place, Start};
use super::{Condition, Constraint, host, likeness};
use crate::model::{fold, is_hidden, redact};
use serde_json::{Map, Value, json};

/// Offers that a person still reads.
const MOST: usize = 4;

/// Arguments that are looked at. Tools have a handful.
const ARGUMENTS: usize = 64;

/// Names, folded, of folders that end like those of files.
const FOLDER_PATHS: &[&str] =
    &["repopath", "repositorypath", "projectpath", "rootpath", "basepath"];

/// Names, folded, of those who own repositories.
const OWNERS: &[&str] = &["owner", "org", "organization"];

/// Names, folded, of repositories.
const REPOSITORIES: &[&str] = &["repo", "repository", "reponame", "repositoryname"];

/// Names, folded, of things that a tool works within.
const PLACES: &[&str] = &[
    "database",
    "databasename",
    "databaseid",
    "db",
    "channel",
    "channelid",
    "channelname",
    "project",
    "projectid",
    "projectkey",
    "table",
    "tablename",
    "collection",
    "bucket",
    "namespace",
    "schema",
    "branch",
    "team",
    "teamid",
    "calendar",
    "calendarid",
    "topic",
    "queue",
];

/// Returns what a person may choose from who allows calls like this one for good: each is a list of conditions that hold
/// together, the most useful first, and all of them hold for these arguments. Nothing if the call suggests none.
pub fn offered(arguments: &Value) -> Vec<Vec<Constraint>> {
    let Some(given) = arguments.as_object().filter(|given| given.len() <= ARGUMENTS) else {
        return Vec::new();
    };
    let (Some(folders), Some(hosts)) = (folders(given), hosts(given)) else { return Vec::new() };
    // Every path and every URL is held, whatever else is.
    let held: Vec<_> = folders.into_iter().chain(hosts).collect();
    let repository = repository(given);
    let with = |more: Vec<Constraint>| -> Vec<Constraint> {
        let more = repository.iter().cloned().chain(more);
        more.chain(held.iter().cloned()).collect()
    };
    let mut offers = vec![with(Vec::new())];
    for (name, value) in given.iter().filter(|(name, _)| PLACES.contains(&fold(name).as_str())) {
        // A branch is one of a repository.
        offers.extend(exactly(name, value).map(|exactly| with(vec![exactly])));
    }
    let mut chosen: Vec<Vec<Constraint>> = Vec::new();
    for offer in offers {
        let sound = |one: &Constraint| one.flaw().is_none() && one.holds(arguments);
        let free = Constraint::leave_free(&offer, arguments);
        if !offer.is_empty() && !free && offer.iter().all(sound) && !chosen.contains(&offer) {
            chosen.push(offer);
        }
    }
    chosen.truncate(MOST);
    chosen
}

/// Every path of the call under its folder; nothing if one of them cannot be held to one.
fn folders(given: &Map<String, Value>) -> Option<Vec<Constraint>> {
    let paths = given.iter().filter(|(name, value)| is_path(name, value));
    let held = paths.map(|(name, value)| {
        let folder = folder(name, value).filter(|_| may_be_shown(name, value))?;
        Some(Constraint::new(name, Condition::Under(folder)))
    });
    held.collect()
}

/// Whether an argument is a path, or a list of them.
fn is_path(name: &str, value: &Value) -> bool {
    texts(value).iter().any(|text| likeness::is_path(name, text))
}

/// The folder that all paths of an argument are in.
fn folder(name: &str, value: &Value) -> Option<String> {
    let is_folder = likeness::names_folder(name) || FOLDER_PATHS.contains(&fold(name).as_str());
    let mut common: Option<Place<'_>> = None;
    for text in texts(value) {
        let mut place = path::place(text)?;
        // All that is at the root, or at home, is more than anybody means by one file.
        let least = usize::from(place.start != Start::Here);
        if !is_folder && !text.ends_with('/') && place.names.len() > least {
            place.names.pop();
        }
        common = Some(match common {
            None => place,
            Some(known) if known.start != place.start => return None,
            Some(mut known) => {
                let same = known.names.iter().zip(&place.names).take_while(|(a, b)| a == b).count();
                known.names.truncate(same);
                known
            }
        });
    }
    let common = common?;
    (common.start == Start::Here || !common.names.is_empty()).then(|| common.text())
}

/// Exactly the repository of the call.
fn repository(given: &Map<String, Value>) -> Vec<Constraint> {
    let named = |names: &[&str]| {
        let mut found = given.iter().filter(|(name, _)| names.contains(&fold(name).as_str()));
        found.next().filter(|(name, value)| !is_path(name, value) && texts(value).len() == 1)
    };
    let Some((name, value)) = named(REPOSITORIES) else { return Vec::new() };
    let Some(repository) = exactly(name, value) else { return Vec::new() };
    match named(OWNERS) {
        Some((name, value)) => exactly(name, value).into_iter().chain([repository]).collect(),
        None => vec![repository],
    }
}

/// Every URL of the call at its host; nothing if one of them cannot be held to one.
fn hosts(given: &Map<String, Value>) -> Option<Vec<Constraint>> {
    let urls = given.iter().filter(|(name, value)| {
        !is_path(name, value) && texts(value).iter().any(|text| likeness::is_url(text))
    });
    let held = urls.map(|(name, value)| {
        let host = texts(value).first().and_then(|text| host::shown(text));
        let host =
            host.filter(|host| name.len() <= NAME_LIMIT && may_be_shown(name, &json!(host)))?;
        Some(Constraint::new(name, Condition::Host(host)))
    });
    held.collect()
}

fn exactly(name: &str, value: &Value) -> Option<Constraint> {
    let plain = match value {
        Value::String(text) => {
            !text.is_empty() && text.len() <= TEXT_LIMIT / 4 && !text.chars().any(is_hidden)
        }
        Value::Number(_) => true,
        _ => false,
    };
    (plain && may_be_shown(name, value))
        .then(|| Constraint::new(name, Condition::Equals(value.clone())))
}

/// Whether an argument can be written into a file and shown as it is.
fn may_be_shown(name: &str, value: &Value) -> bool {
    let shown = json!({ name: value });
    redact(&shown) == shown
}

/// The texts that an argument is, if it is nothing else.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().take(1_000).map(Value::as_str).collect();
            texts.unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            shown(&json!({ "repository": "acme/site" })),
            ["`repository` equal to `acme/site`"]
        );
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
}
