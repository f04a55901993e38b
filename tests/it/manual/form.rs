//! The form of the documents: length, width, links, and what they must not name.

use pml_kit::{Document, manual};

/// The most lines of `README.md`: it leads to the manual, and is not the manual.
const README_LINES: usize = 200;

/// The widest line of a document that people read in a terminal.
const WIDEST: usize = 120;

fn with(others: &[&str]) -> Vec<Document> {
    manual().into_iter().chain(others.iter().map(|name| Document::read(name))).collect()
}

#[test]
fn readme_is_short() {
    let lines = Document::read("README.md").text.lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines");
}

#[test]
fn lines_fit_a_terminal() {
    for document in with(&["CHANGELOG.md", "SECURITY.md"]) {
        for (index, line) in document.text.lines().enumerate() {
            let width = line.chars().count();
            assert!(width <= WIDEST, "{}:{} has {width} columns", document.name, index + 1);
        }
    }
}

#[test]
fn an_entry_of_the_changelog_is_one_line() {
    let text = Document::read("CHANGELOG.md").text;
    for (index, line) in text.lines().enumerate() {
        let continued = line.starts_with(' ');
        assert!(!continued, "CHANGELOG.md:{} continues the line above: {line}", index + 1);
    }
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    for document in with(&["CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]) {
        for link in document.links() {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = match file {
                "" => document.path(),
                file => document.path().parent().expect("a folder").join(file),
            };
            assert!(path.exists(), "{}: nothing is at {link}", document.name);
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&path).expect("a document");
                let anchors = Document { name: link.clone(), text }.anchors();
                assert!(anchors.iter().any(|one| one == anchor), "{}: {link}", document.name);
            }
        }
    }
}

#[test]
fn every_page_is_in_the_index_and_in_the_documentation_of_the_crate() {
    let index = Document::read("host/docs/README.md").links();
    let guide = Document::read("host/src/guide.rs").text;
    for page in manual() {
        let Some(name) = page.name.strip_prefix("host/docs/") else { continue };
        if name != "README.md" {
            assert!(index.iter().any(|link| link == name), "the index has no link to {name}");
        }
        assert!(guide.contains(&format!("../docs/{name}")), "`pml::guide` leaves out {name}");
    }
}

#[test]
fn documents_name_no_registry_and_no_place_of_a_machine() {
    for document in with(&["CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]) {
        for text in ["npmjs", "pypi.org", "/work/", "/root/"] {
            assert!(!document.text.contains(text), "{} names {text}", document.name);
        }
    }
}
