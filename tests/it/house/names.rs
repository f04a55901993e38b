//! Counts how often the names of types are used twice: a name that means one thing needs no
//! context.

use pml_kit::{files_under, project_root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names of public types that every crate may have: their crate's name says the rest.
const COMMON: [&str; 2] = ["Error", "Config"];

/// The highest share of names, in percent, that may be used twice or more. In cargo it is 9.
const MOST_SHARED: usize = 10;

/// A type that is declared at the top level of a file.
#[derive(Debug, PartialEq, Eq)]
struct Declared {
    name: String,
    is_public: bool,
}

/// Reads the types that a file declares in the first column.
fn declared(text: &str) -> Vec<Declared> {
    let types = text.lines().filter_map(|line| {
        let is_public = line.starts_with("pub ");
        let rest = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.strip_prefix(' ')?,
            None => line,
        };
        let (kind, rest) = rest.split_once(' ')?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
        (is_type && !name.is_empty()).then(|| Declared { name: name.into(), is_public })
    });
    types.collect()
}

/// The folders below `host` that hold a crate.
fn crates() -> Vec<PathBuf> {
    let manifests = files_under(&project_root().join("host")).into_iter();
    let folders = manifests.filter(|file| file.ends_with("Cargo.toml"));
    folders.filter_map(|file| file.parent().map(Path::to_owned)).collect()
}

/// Where each type of a crate is declared, tests left out.
fn types_of(folder: &Path) -> BTreeMap<String, BTreeSet<(PathBuf, bool)>> {
    let mut types = BTreeMap::<_, BTreeSet<_>>::new();
    let source = folder.join("src");
    for file in files_under(&source) {
        let inside = file.strip_prefix(&source).expect("below it");
        let tests = inside.components().any(|part| part.as_os_str() == "tests");
        if tests || file.ends_with("tests.rs") || file.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file");
        for one in declared(&text) {
            types.entry(one.name).or_default().insert((inside.to_owned(), one.is_public));
        }
    }
    types
}

#[test]
fn no_two_public_types_of_a_crate_have_one_name() {
    for folder in crates() {
        let twice: Vec<_> = types_of(&folder)
            .into_iter()
            .map(|(name, places)| (name, places.into_iter().filter(|(_, is_public)| *is_public)))
            .map(|(name, places)| (name, places.map(|(file, _)| file).collect::<Vec<_>>()))
            .filter(|(name, files)| files.len() > 1 && !COMMON.contains(&name.as_str()))
            .collect();
        assert!(twice.is_empty(), "{}: {twice:#?}", folder.display());
    }
}

#[test]
fn few_names_of_types_are_used_twice() {
    let mut uses = BTreeMap::<String, usize>::new();
    for (name, places) in crates().iter().flat_map(|folder| types_of(folder)) {
        *uses.entry(name).or_default() += places.len();
    }
    let shared: Vec<_> = uses.iter().filter(|(_, times)| **times > 1).collect();
    assert!(uses.len() > 100, "{} types", uses.len());
    assert!(
        shared.len() * 100 <= uses.len() * MOST_SHARED,
        "{} of {} names are used more than once: {shared:?}",
        shared.len(),
        uses.len()
    );
}

#[test]
fn the_reader_of_types_finds_those_of_the_first_column() {
    let text = "pub struct A;\npub(crate) enum B<T> {\n    struct C;\ntrait D {}\nlet x = 1;\npub(in crate::x) type E = u8;\npub use f::G;\ntyped H\n";
    let found = declared(text).into_iter().map(|one| (one.name, one.is_public));
    let found: Vec<_> = found.collect();
    let expected = [("A", true), ("B", false), ("D", false), ("E", false)];
    assert_eq!(found, expected.map(|(name, is_public)| (name.to_owned(), is_public)));
}
