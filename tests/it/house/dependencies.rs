//! What comes in with our dependencies, checked against `deny.toml`, and what the library alone
//! pulls in.

use pml::json::{self, Value};
use pml_kit::project_root;
use std::process::Command;

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(project_root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn rules() -> toml::Table {
    let text = std::fs::read_to_string(project_root().join("deny.toml")).expect("deny.toml");
    text.parse().expect("TOML")
}

#[test]
fn licenses_bans_and_sources_are_as_deny_toml_says() {
    let rules = rules();
    let allow = rules["licenses"]["allow"].as_array().expect("a list");
    let allow: Vec<spdx::Licensee> = allow
        .iter()
        .map(|one| spdx::Licensee::parse(one.as_str().expect("a text")).expect("an SPDX name"))
        .collect();
    let banned = rules["bans"]["deny"].as_array().expect("a list");
    let banned: Vec<&str> = banned.iter().filter_map(|one| one["crate"].as_str()).collect();
    for manifest in ["Cargo.toml", "guest-runtime/Cargo.toml"] {
        let metadata =
            cargo(&["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest]);
        let metadata: Value = json::from_str(&metadata).expect("JSON");
        let packages = metadata["packages"].as_array().expect("a list");
        assert!(packages.len() > 20, "{} packages", packages.len());
        for package in packages {
            let name = package["name"].as_str().expect("a name");
            assert!(!banned.contains(&name), "banned: {name}");
            let source = package["source"].as_str();
            assert!(
                source.is_none_or(|source| source.starts_with("registry+")),
                "{name} comes from {source:?}"
            );
            let license =
                package["license"].as_str().unwrap_or_else(|| panic!("{name} has no license"));
            let expression = spdx::Expression::parse_mode(license, spdx::ParseMode::LAX)
                .unwrap_or_else(|error| panic!("{name}: {license}: {error}"));
            let fits = expression.evaluate(|asked| allow.iter().any(|one| one.satisfies(asked)));
            assert!(fits, "{name}: {license}");
        }
    }
}

#[test]
fn the_library_alone_pulls_in_neither_a_command_line_nor_a_web_server() {
    let tree = cargo(&[
        "tree",
        "-p",
        "pml",
        "--no-default-features",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--locked",
    ]);
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"wasmtime"), "{names:?}");
    for unwanted in ["clap", "axum", "hyper", "notify", "anstream", "reqwest"] {
        assert!(!names.contains(&unwanted), "{unwanted}");
    }
}
