//! `pml cache` without a package, and the packages of an older pml.

use crate::pml;
use pml_kit::insta::assert_snapshot;
use std::fs;

#[test]
fn the_cache_of_a_user_is_outside_of_the_project_and_starts_empty() {
    let env = pml();
    let dir = env.run(&["cache", "dir"]);
    assert_eq!((dir.stdout.as_str(), dir.code), ("$TEST_CACHE/pml/packages\n", 0));
    let dir = env.run(&["cache", "dir", "--json"]);
    assert_eq!(dir.stdout, "{\"dir\":\"$TEST_CACHE/pml/packages\"}\n");
    assert_eq!(env.run(&["cache", "size"]).stdout, "the package cache is empty\n");
    assert_eq!(
        env.run(&["cache", "size", "--json"]).stdout,
        "{\"packages\":[],\"size_bytes\":0}\n"
    );
    let pruned = env.run(&["cache", "prune", "--all", "--json"]);
    assert_eq!(pruned.stdout, "{\"removed\":[],\"in_use\":[],\"freed_bytes\":0}\n");
    let planned = env.run(&["cache", "prune", "--dry-run", "--json"]);
    assert_eq!(planned.stdout, "{\"would_remove\":[],\"in_use\":[],\"freed_bytes\":0}\n");
}

#[test]
fn a_cache_in_the_project_is_refused() {
    let env = pml();
    let mut command = env.command(&["cache", "dir"]);
    command.env("XDG_CACHE_HOME", env.path().join("cache"));
    let output = env.finish(command.spawn().expect("it starts"));
    assert_eq!(output.code, 1);
    assert_snapshot!(output.stderr, @r"
    error: the cache folder that `XDG_CACHE_HOME` names lies in the project: $TEST_ENV/cache/pml
    hint: name a folder of your own elsewhere: `XDG_CACHE_HOME`
    ");
}

#[test]
fn packages_of_an_older_pml_are_named_and_stay() {
    let env = pml();
    let file = env.write(".pml/deps/npm/x@1.0.0/file", "12345");
    env.write(".pml.json", "{ \"version\": \"0.1.0\" }");
    assert_eq!(env.run(&["trust", "--yes"]).code, 0);
    let doctor = env.run(&["doctor"]).stdout;
    let message = "packages of an older pml are not used any more: $TEST_ENV/.pml/deps (5 B)";
    assert!(doctor.contains(message), "{doctor}");
    let install = env.run(&["install", "--yes"]);
    assert!(install.stderr.contains(message), "{}", install.stderr);
    assert_eq!(fs::read_to_string(file).expect("it stays"), "12345");
}
