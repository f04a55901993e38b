//! Runs every folder of `tests/cases`: a program, and what it must print.
//!
//! A case is `tests/cases/<room>/<case>/` with `main.ts` (or `main.js`), `stdout`, and where they
//! are not empty or zero, `stderr`, `code` and `arguments` (one a line). `PML_BLESS=1 cargo test`
//! writes what it prints now; look at the diff.

use crate::pml;
use pml_kit::{files_under, project_root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const PARTS: &[&str] = &["stdout", "stderr", "code", "arguments"];

/// Hostile folders are no cases: tests of their own attack with them.
fn files() -> Vec<PathBuf> {
    let folder = project_root().join("tests/cases");
    let files = files_under(&folder).into_iter();
    files.filter(|file| !file.starts_with(folder.join("hostile"))).collect()
}

fn cases() -> BTreeSet<PathBuf> {
    let files = files();
    let mains = files.iter().filter(|file| file.file_stem().is_some_and(|stem| stem == "main"));
    mains.filter_map(|file| Some(file.parent()?.to_owned())).collect()
}

fn part(case: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(case.join(name)).ok()
}

/// Returns a text with `ID` in place of the id of a run, which is another one each time.
fn without_run_id(text: &str) -> String {
    const KEY: &str = "\"run_id\":\"";
    let Some((before, after)) = text.split_once(KEY) else { return text.to_owned() };
    let rest = after.find('"').map_or("", |end| &after[end..]);
    format!("{before}{KEY}ID{rest}")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
fn every_case_prints_what_it_promises() {
    let bless = std::env::var_os("PML_BLESS").is_some();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for case in &cases {
        let env = pml();
        for file in files_under(case) {
            let name = file
                .strip_prefix(case)
                .expect("below the case")
                .to_str()
                .expect("a name")
                .to_owned();
            if !PARTS.contains(&name.as_str()) {
                env.write(&name, std::fs::read(&file).expect("a file"));
            }
        }
        let main = if case.join("main.ts").exists() { "main.ts" } else { "main.js" };
        let given = part(case, "arguments").unwrap_or_default();
        let mut arguments = vec!["run", main];
        arguments.extend(given.lines());
        let output = env.run(&arguments);
        let found = [without_run_id(&output.stdout), output.stderr, format!("{}\n", output.code)];
        for ((name, default), found) in
            [("stdout", ""), ("stderr", ""), ("code", "0\n")].into_iter().zip(found)
        {
            let expected = part(case, name).unwrap_or_else(|| default.into());
            if expected == found {
                continue;
            }
            match bless {
                true => std::fs::write(case.join(name), found).expect("written"),
                false => wrong.push(format!(
                    "{}/{name}\n--- expected\n{expected}--- found\n{found}",
                    case.display()
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_of_the_cases_is_an_orphan() {
    let cases = cases();
    for file in files() {
        assert!(
            cases.iter().any(|case| file.starts_with(case)),
            "belongs to no case: {}",
            file.display()
        );
    }
}

#[test]
fn every_area_that_the_manual_promises_has_a_case() {
    let page = project_root().join("host/docs/programs.md");
    let manual = std::fs::read_to_string(page).expect("the page about programs");
    for area in [
        "async",
        "generators",
        "classes",
        "regex",
        "bigint",
        "typed-arrays",
        "proxy",
        "dates",
        "absent",
    ] {
        assert!(
            project_root().join("tests/cases/language").join(area).is_dir(),
            "no case for {area}"
        );
    }
    assert!(manual.contains("tests/cases/language"));
}
