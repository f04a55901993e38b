//! Paths that lie below a folder, and paths that only seem to.

use super::{LexicalPaths, PathResolver, PathStart, ResolvedPath, resolve_lexically};

const NOTES: &str = "/home/ann/notes";

fn is_under(text: &str, folder: &str) -> bool {
    super::is_under(text, folder, &LexicalPaths)
}

#[test]
fn a_folder_covers_itself_and_what_is_below() {
    for path in [
        "/home/ann/notes",
        "/home/ann/notes/",
        "/home/ann/notes/a.txt",
        "/home/ann/notes/a/b/../c",
        "/home/ann//notes/./a",
        "//home/ann/notes/a",
        "/home/../home/ann/notes/a",
        "/home/ann/notes/naïve 日本.txt",
        "/home/ann/notes/.a.b.",
        "/home/ann/notes/100%",
        "file:///home/ann/notes/a.txt",
        "file:///home/ann/notes/a%20b",
    ] {
        assert!(is_under(path, NOTES), "{path}");
        assert!(is_under(path, "/home/ann/notes/"), "{path}");
    }
    assert!(is_under("/etc/passwd", "/"));
    assert!(
        is_under("src/a.rs", ".") && is_under("./src/a.rs", "src") && is_under("src", "./src/")
    );
}

#[test]
fn what_is_elsewhere_or_may_lead_elsewhere_is_not_covered() {
    for path in [
        "",
        "/",
        "/home/ann",
        "/home/ann/notes2",
        "/home/ann/notes-private/a",
        "/home/ann/Notes/a",
        "/home/ann/notes/..",
        "/home/ann/notes/../secret",
        "/home/ann/notes/../../ann/secret",
        "/home/ann/notes/a/../../secret",
        "/../home/ann/notes/a",
        "/home/ann/notes/../../../../home/ann/notes/a",
        "home/ann/notes/a",
        "./home/ann/notes/a",
        "notes/a",
        "~/notes/a",
        "~ann/notes/a",
        "file:/home/ann/notes/a",
        "FILE:///home/ann/notes/a",
        "file://evil.example/home/ann/notes/a",
        "file:///home/ann/notes/../secret",
        "file:///home/ann/notes/%2e%2e/secret",
        "file:///home/ann/notes/%252e%252e/secret",
        "file:///home/ann/notes/a%2f..%2f..%2fsecret",
        "file:///home/ann/notes/%00",
        "file:///home/ann/notes/a?x",
        "https://x/home/ann/notes/a",
        "/home/ann/notes\0/a",
        "/home/ann/notes/a\0.txt",
        "/home/ann/notes/\u{202e}txt.a",
        "/home/ann/notes/a\u{200b}",
        "/home/ann/notes/a\n/etc/passwd",
        "/home/ann/notes/..\\..\\secret",
        "\\home\\ann\\notes\\a",
        "/home/ann/notes/%2e%2e/%2E%2E/secret",
        "/home/ann/notes/%252e%252e/secret",
        "/home/ann/notes/%c0%ae%c0%ae/secret",
        "/home/ann/notes/%u002e%u002e/secret",
        "/home/ann/notes/..%2f..%2fsecret",
        "/home/ann/notes/a%20b",
        "/home/ann/notes/$X/a",
        "/home/ann/notes/`id`",
        "/home/ann/notes/*.md",
        "/home/ann/notes/a?",
        "/home/ann/notes/{a,b}/x",
        "/home/ann/notes/{a,../../secret}",
        "/home/ann/notes/{a,..}/x",
        "/home/ann/notes/[..]/x",
        "/home/ann/notes/..a",
        "/home/ann/notes/a..b",
        "/home/ann/notes/.. /secret",
        "/home/ann/notes/.../secret",
        " /home/ann/notes/a",
        "/home/ann/notes/a ",
        "/home/ann/nоtes/a",
    ] {
        assert!(!is_under(path, NOTES), "{path:?}");
    }
}

#[test]
fn a_path_from_here_stays_here_and_home_is_nowhere() {
    for path in [
        "..",
        "../a",
        "a/../../b",
        "/a",
        "~/a",
        "C:/Windows",
        "c:x",
        "file:/etc/passwd",
        "file:///etc/passwd",
        "--output=/etc/passwd",
        "{/etc,a}/passwd",
        "@/etc/passwd",
        "$HOME/a",
        "%APPDATA%/a",
        " /etc/passwd",
    ] {
        assert!(!is_under(path, "."), "{path}");
    }
    assert!(!is_under("/home/ann/notes/a", "notes") && !is_under("notes/a", "/notes"));
    assert!(!is_under("~/notes/a", "~/notes") && !is_under("~/../bob", "~"));
}

/// A machine on which `/n/out` is a link to `/etc/x`, and relative paths begin at `/n`.
struct Linked;

impl PathResolver for Linked {
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath> {
        let mut names = vec!["n".to_owned()];
        if start == PathStart::Root {
            names.clear();
        }
        for step in steps {
            match step.as_str() {
                ".." => drop(names.pop()),
                step => names.push(step.to_owned()),
            }
            if names == ["n", "out"] {
                names = vec!["etc".into(), "x".into()];
            }
        }
        Some(ResolvedPath { start: PathStart::Root, names })
    }

    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath> {
        let here = (folder.start == PathStart::Here).then(|| "n".to_owned());
        let names = here.into_iter().chain(folder.names).collect();
        Some(ResolvedPath { start: PathStart::Root, names })
    }
}

#[test]
fn links_are_followed_in_every_way_to_read_a_path() {
    let under = |path: &str, folder: &str| super::is_under(path, folder, &Linked);
    assert!(under("/n/a", "/n") && under("a", "/n") && under("a/../b", ".") && under("a", "."));
    assert!(under("/n/a/b", "a") && !under("/n/b", "a"));
    for out in ["/n/out", "/n/out/a", "out/a", "/n/out/../n/a", "out/../a", "/n/a/../out/b"] {
        assert!(!under(out, "/n") && !under(out, "."), "{out}");
    }
    // Nothing lies in a folder that is a link; it lies in the target of the link.
    assert!(!under("/n/out/a", "/n/out") && under("/n/out/a", "/etc/x"));
}

#[test]
fn a_place_is_written_plainly() {
    for (path, plain) in [
        ("//a/./b/../c/", "/a/c"),
        ("~//x", "~/x"),
        ("./", "."),
        ("a//b", "a/b"),
        ("/", "/"),
        ("~", "~"),
        ("file:///a/b%20c", "/a/b c"),
    ] {
        assert_eq!(resolve_lexically(path).expect(path).text(), plain);
    }
    let long = format!("/{}", "x".repeat(2_000));
    assert_eq!(resolve_lexically(&long), None);
}

#[test]
fn every_walk_holds_if_it_never_leaves_the_root_and_ends_in_the_folder() {
    let steps = ["a", "f", "..", "."];
    for number in 0..steps.len().pow(5) {
        let chosen = (0..5).map(|place| steps[number / steps.len().pow(place) % steps.len()]);
        let chosen: Vec<_> = chosen.collect();
        let path = format!("/f/{}", chosen.join("/"));
        let mut walk = Some(vec!["f"]);
        for step in chosen {
            walk = match (step, walk) {
                (_, None) => None,
                (".", walk) => walk,
                ("..", Some(mut names)) => names.pop().map(|_| names),
                (name, Some(mut names)) => {
                    names.push(name);
                    Some(names)
                }
            };
        }
        let inside = walk.is_some_and(|names| names.first() == Some(&"f"));
        assert_eq!(is_under(&path, "/f"), inside, "{path}");
    }
}
