//! Paths, by their words alone: nothing here looks at a disk, and who opens the path in the end is another program.
//!
//! **Invariant:** a path that some program might read in another way has no place: what a shell or a server might expand,
//! decode or trim, and everything with a backslash, which is a separator on one machine and a letter on the other.

use super::condition::TEXT_LIMIT;
use crate::model::is_hidden;

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Root,
    Home,
    Here,
}

/// A plain path: no `.`, no `..`, no doubled slashes in it any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) start: Start,
    pub(super) names: Vec<&'a str>,
}

/// Returns whether a path is `folder` or lies below it.
pub(super) fn is_under(text: &str, folder: &str) -> bool {
    match (place(text), place(folder)) {
        (Some(path), Some(folder)) => {
            path.start == folder.start && path.names.starts_with(&folder.names)
        }
        _ => false,
    }
}

/// Returns where a path leads to; nothing if it climbs out of where it begins, or is no plain path.
pub(super) fn place(text: &str) -> Option<Place<'_>> {
    if !is_plain(text) {
        return None;
    }
    let (start, rest) = match (text.strip_prefix('/'), text.split_once('/')) {
        (Some(rest), _) => (Start::Root, rest),
        (None, _) if text == "~" => (Start::Home, ""),
        (None, Some(("~", rest))) => (Start::Home, rest),
        // Another user's home, a drive, a URL, a variable, an option, one of many: all but a path from here.
        (None, _) if text.starts_with(['~', '%', '-', '@', '{']) || scheme(text) => return None,
        (None, _) => (Start::Here, text),
    };
    let mut names = Vec::new();
    let mut climbs = false;
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                climbs = true;
                names.pop()?;
            }
            // Some systems take what is at the end of these away; and one of many that a pattern stands for may be a step up.
            name if name.trim_matches(['.', ' ']).is_empty() || name.contains("..") => return None,
            name => names.push(name),
        }
    }
    // Where a pattern is spelled out first, a step up may be one of many.
    let pattern = climbs && text.contains(['*', '?', '[', '{']);
    (!pattern).then_some(Place { start, names })
}

/// Whether a path is read to the letter by whoever reads it.
fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    (1..=TEXT_LIMIT).contains(&text.len())
        && text.trim() == text
        && !text.chars().any(|c| is_hidden(c) || matches!(c, '\\' | '$' | '`'))
        && !["://", "%2e", "%2f", "%5c", "%00"].iter().any(|odd| lower.contains(odd))
}

fn scheme(text: &str) -> bool {
    text.split('/').next().is_some_and(|first| first.contains(':'))
}

impl Place<'_> {
    /// Returns the place as a path.
    pub(super) fn text(&self) -> String {
        let names = self.names.join("/");
        match self.start {
            Start::Root => format!("/{names}"),
            Start::Home if names.is_empty() => "~".into(),
            Start::Home => format!("~/{names}"),
            Start::Here if names.is_empty() => ".".into(),
            Start::Here => names,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_under, place};

    const NOTES: &str = "/home/ann/notes";

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
            "/home/ann/notes/*.md",
            "/home/ann/notes/.a.b.",
            "/home/ann/notes/{a,b}/x",
        ] {
            assert!(is_under(path, NOTES), "{path}");
            assert!(is_under(path, "/home/ann/notes/"), "{path}");
        }
        assert!(is_under("/etc/passwd", "/"));
        assert!(
            is_under("src/a.rs", ".") && is_under("./src/a.rs", "src") && is_under("src", "./src/")
        );
        assert!(is_under("~/notes/a", "~/notes") && is_under("~", "~"));
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
            "file:///home/ann/notes/a",
            "file:/home/ann/notes/a",
            "FILE:///home/ann/notes/a",
            "https://x/home/ann/notes/a",
            "/home/ann/notes\0/a",
            "/home/ann/notes/a\0.txt",
            "/home/ann/notes/\u{202e}txt.a",
            "/home/ann/notes/a\u{200b}",
            "/home/ann/notes/a\n/etc/passwd",
            "/home/ann/notes/..\\..\\secret",
            "\\home\\ann\\notes\\a",
            "/home/ann/notes/%2e%2e/%2E%2E/secret",
            "/home/ann/notes/..%2f..%2fsecret",
            "/home/ann/notes/$X/a",
            "/home/ann/notes/`id`",
            "/home/ann/notes/{a,../../secret}",
            "/home/ann/notes/{a,..}/x",
            "/home/ann/notes/{..,a}/{..,b}/x",
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
    fn a_path_from_here_stays_here() {
        for path in [
            "..",
            "../a",
            "a/../../b",
            "/a",
            "~/a",
            "C:/Windows",
            "c:x",
            "file:/etc/passwd",
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
        assert!(!is_under("~/../bob", "~"));
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
        ] {
            assert_eq!(place(path).expect(path).text(), plain);
        }
        let long = format!("/{}", "x".repeat(2_000));
        assert_eq!(place(&long), None);
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
}
