//! ARCHITECTURE.md against the tree: a map that names files that are gone misleads.

use pml_kit::{files_under, project_root};

/// The most terms that a newcomer should have to learn.
const MOST_TERMS: usize = 30;

fn architecture() -> String {
    std::fs::read_to_string(project_root().join("ARCHITECTURE.md")).expect("the page")
}

#[test]
fn every_file_that_the_architecture_names_is_there() {
    let root = project_root();
    let folders = ["host/src", "host/mcp/src", "host/cli/src", "tests/it"];
    let files: Vec<_> = folders.iter().flat_map(|folder| files_under(&root.join(folder))).collect();
    let text = architecture();
    let quoted = text.split('`').skip(1).step_by(2);
    let named: Vec<_> = quoted.filter(|name| name.ends_with(".rs")).collect();
    assert!(named.len() > 20, "the page names files: {named:?}");
    for name in named {
        let is_there = files.iter().any(|file| file.ends_with(name));
        assert!(is_there, "ARCHITECTURE.md names `{name}`, which is not there");
    }
}

#[test]
fn the_glossary_is_sorted_and_short() {
    let text = architecture();
    let (_, glossary) = text.split_once("\n## Glossary\n").expect("a glossary");
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("| ")).skip(2);
    let terms: Vec<_> = rows.filter_map(|row| row.split_once(" |")).map(|(term, _)| term).collect();
    assert!((10..=MOST_TERMS).contains(&terms.len()), "{} terms: {terms:?}", terms.len());
    assert!(terms.is_sorted(), "{terms:?}");
}
