//! The guest artifact: what it imports, and what its provenance says.

use pml::json::{self, Value};
use pml_kit::project_root;

#[test]
fn the_artifact_is_the_one_its_provenance_names() {
    let folder = project_root().join("host/guest");
    let note = std::fs::read_to_string(folder.join("provenance.json")).expect("a note");
    let note: Value = json::from_str(&note).expect("JSON");
    assert_eq!(note["sha256"], pml::replay::GUEST_DIGEST);
    let crates = note["crates"].as_array().expect("a list");
    assert!(
        crates.iter().any(|one| one.as_str().is_some_and(|one| one.starts_with("rquickjs 0.14")))
    );
    assert!(note["toolchain"].as_array().is_some_and(|tools| tools.len() >= 2), "{note}");
}

#[test]
fn the_artifact_holds_no_path_of_the_machine_that_built_it() {
    let bytes = std::fs::read(project_root().join("host/guest/guest.wasm")).expect("the artifact");
    for path in ["/home/", "/root/", "/work/", "/usr/lib/rust", "/tmp/", "/Users/"] {
        let found = bytes.windows(path.len()).any(|window| window == path.as_bytes());
        assert!(!found, "{path}");
    }
}

#[test]
fn every_item_of_the_contract_is_documented_and_versioned() {
    let text = std::fs::read_to_string(project_root().join("wit/world.wit")).expect("the contract");
    assert!(text.contains("package pml:sandbox@"));
    let mut documented = false;
    for line in text.lines().map(str::trim) {
        let item = ["record ", "enum ", "variant ", "type ", "interface ", "world "]
            .iter()
            .any(|word| line.starts_with(word))
            || line
                .split_once(':')
                .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        assert!(!item || documented || line.starts_with("package"), "no document: {line}");
        documented = line.starts_with("///");
    }
}
