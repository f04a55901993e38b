//! Keeps the arrows of the map in `host/src/lib.rs`: each room uses only what lies below it.

use pml_kit::{files_under, project_root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FLOOR: &[&str] = &["model", "error", "config", "disk", "event", "store", "lock"];

/// Each room and the rooms it may use besides the floor. The floor itself uses only `model` and
/// `error`.
const ROOMS: &[(&str, &[&str])] = &[
    ("hosting", &["run", "router", "approval"]),
    ("run", &["source", "sandbox", "router", "approval"]),
    ("plan", &["source", "router", "catalog"]),
    ("source", &[]),
    ("sandbox", &[]),
    ("router", &["project", "upstream", "catalog", "install"]),
    ("project", &["upstream", "catalog", "install"]),
    ("upstream", &[]),
    ("catalog", &[]),
    ("install", &[]),
    ("approval", &[]),
    ("config", &[]),
    ("disk", &[]),
    ("event", &[]),
    ("lock", &[]),
    ("store", &[]),
    ("model", &[]),
    ("error", &[]),
];

fn allowed(room: &str, used: &str) -> bool {
    let (_, above_floor) = ROOMS.iter().find(|(name, _)| *name == room).expect("a room of the map");
    match room {
        _ if room == used => true,
        _ if FLOOR.contains(&room) => ["model", "error", "disk"].contains(&used),
        _ => FLOOR.contains(&used) || above_floor.contains(&used),
    }
}

/// The rooms that a file names after `crate::`, also in lists of a `use`.
fn used(text: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect()
    };
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => found.extend([word(rest)]),
            Some(list) => {
                let mut depth = 1;
                let mut start = true;
                for (index, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ if start && depth == 1 && !c.is_whitespace() => {
                            found.extend([word(&list[index..])])
                        }
                        _ => {}
                    }
                    start = c == ',' || (start && c.is_whitespace());
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found.remove("");
    found
}

#[test]
fn arrows_point_down_only() {
    let source = project_root().join("host/src");
    let names: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    let mut wrong = Vec::new();
    for (room, _) in ROOMS {
        for file in files_under(&source.join(room)) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            for target in used(&text) {
                if names.contains(&target.as_str()) && !allowed(room, &target) {
                    wrong.push(format!("{}: uses {target}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_map_names_every_room_and_no_other() {
    let source = project_root().join("host/src");
    let map = std::fs::read_to_string(source.join("lib.rs")).expect("lib.rs");
    let map: String = map.lines().filter(|line| line.starts_with("//!")).collect();
    for entry in std::fs::read_dir(&source).expect("host/src") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if path.is_dir() && name != "bin" {
            assert!(ROOMS.iter().any(|(room, _)| *room == name), "a room without arrows: {name}");
            assert!(map.contains(&format!("`{name}`")), "a room that the map leaves out: {name}");
        }
    }
    for (room, _) in ROOMS {
        assert!(source.join(room).is_dir(), "a room that is not there: {room}");
    }
}

fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "rs")
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let root = project_root();
    for folder in [
        "host/src",
        "host/mcp/src",
        "host/cli/src",
        "host/examples",
        "guest-runtime/src",
        "guest-runtime/bundle/src",
        "tests/it",
        "tests/kit/src",
    ] {
        for file in files_under(&root.join(folder)) {
            if !is_rust(&file) {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("a source file");
            assert!(text.starts_with("//!"), "no opening document: {}", file.display());
            assert!(text.lines().count() <= 800, "too long: {}", file.display());
        }
    }
}

#[test]
fn the_reader_of_uses_finds_them_all() {
    let text = "use crate::model::X;\nuse crate::{run::Y, sandbox::{A, B}, Error};\nlet z = crate::router::z();";
    let found: Vec<_> = used(text).into_iter().collect();
    assert_eq!(found, ["model", "router", "run", "sandbox"]);
}

/// The files that the `mod` lines of `file` reach, `file` among them.
fn reached(file: &Path, found: &mut BTreeSet<PathBuf>) {
    let text = std::fs::read_to_string(file).expect("a source file");
    found.insert(file.to_owned());
    let folder = file.parent().expect("a folder");
    // `main.rs` and `mod.rs` have their modules beside them, other files in a folder of their own
    // name.
    let folder = match file.file_stem().and_then(|name| name.to_str()).expect("a name") {
        "main" | "mod" => folder.to_owned(),
        name => folder.join(name),
    };
    for line in text.lines() {
        let declared = line.strip_prefix("pub(crate) ").unwrap_or(line).strip_prefix("mod ");
        let Some(name) = declared.and_then(|rest| rest.strip_suffix(';')) else { continue };
        let choices = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        let module = choices.iter().find(|path| path.is_file());
        reached(module.unwrap_or_else(|| panic!("no file for `{line}`")), found);
    }
}

#[test]
fn every_test_file_is_part_of_the_test_binary() {
    let folder = project_root().join("tests/it");
    let mut found = BTreeSet::new();
    reached(&folder.join("main.rs"), &mut found);
    let sources = files_under(&folder).into_iter().filter(|file| is_rust(file));
    let lost: Vec<_> = sources.filter(|file| !found.contains(file)).collect();
    assert!(lost.is_empty(), "no `mod` line leads to {lost:#?}");
}

#[test]
fn tests_are_in_areas_whose_mod_file_lists_them() {
    let folder = project_root().join("tests/it");
    for file in files_under(&folder).into_iter().filter(|file| is_rust(file)) {
        let depth = file.strip_prefix(&folder).expect("below it").components().count();
        assert_eq!(depth == 1, file.ends_with("main.rs"), "not in an area: {}", file.display());
        if !file.ends_with("mod.rs") {
            continue;
        }
        for line in std::fs::read_to_string(&file).expect("a source file").lines() {
            let fits = line.is_empty()
                || line.starts_with("//!")
                || line.starts_with("#[cfg(")
                || line.split(' ').any(|word| word == "mod") && line.ends_with(';');
            assert!(fits, "{}: {line}", file.display());
        }
    }
}

#[test]
fn mod_files_hold_no_logic() {
    let kinds = ["fn", "struct", "enum", "union", "trait", "impl", "const", "static", "type"];
    let declares = |line: &str| {
        let line = line.strip_prefix("pub").map_or(line, |rest| match rest.split_once(") ") {
            Some((_, after)) if rest.starts_with('(') => after,
            _ => rest.trim_start(),
        });
        let mut words = line.split([' ', '<']).filter(|word| !["async", "unsafe"].contains(word));
        words.next().is_some_and(|word| kinds.contains(&word))
    };
    assert!(declares("pub(crate) async fn go() {") && declares("impl<T> A for T {"));
    assert!(!declares("pub use a::b;") && !declares("pub mod typed;") && !declares("    fn x()"));
    for folder in ["host/src", "host/mcp/src", "host/cli/src", "tests/it"] {
        for file in files_under(&project_root().join(folder)) {
            if !file.ends_with("mod.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("a source file");
            let logic = text.lines().find(|line| declares(line));
            assert_eq!(logic, None, "{} holds more than `mod` and `use`", file.display());
        }
    }
}

#[test]
fn whatever_needs_a_registry_can_be_left_out() {
    let root = project_root();
    let mut files = files_under(&root.join("tests/it/real"));
    files.push(root.join("host/src/install/tests/registries.rs"));
    for file in files.into_iter().filter(|file| is_rust(file)) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let tests = text.split("test]\nfn ").skip(1).chain(text.split("test]\nasync fn ").skip(1));
        for test in tests {
            let (name, body) = test.split_once("{\n").expect("a function");
            let first = body.trim_start().starts_with("if left_out() {");
            assert!(first, "{}: {name} does not ask whether it is left out", file.display());
        }
    }
}
