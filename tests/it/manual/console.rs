//! The commands of the manual print what it shows.
//!
//! A block ```` ```console run ```` is run: each line `$ COMMAND` by a shell, in a folder with the
//! files that the page shows (`file:NAME`), and what follows it is its output, stdout and stderr
//! together. What differs from run to run is not compared. `PML_UPDATE_DOCS=1` writes the output.

use super::programs::write_files;
use crate::pml;
use pml_kit::{
    CodeBlock, Document, TestEnv, manual, project_root, redacted, search_path, update_document,
    updates_documents,
};
use std::process::{Command, Stdio};

/// How the manual calls the folder of the project, and the user's state folder.
const FOLDER: &str = "/home/ann/shop";
const STATE: &str = "/home/ann/.local/state";

/// Runs a line of a shell, and returns what it prints.
fn printed(env: &TestEnv, line: &str) -> String {
    let binaries = env.binary().parent().expect("a folder");
    let mut path = binaries.as_os_str().to_owned();
    path.push(":");
    path.push(search_path());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(env.path()).env_clear();
    command.env("HOME", env.path()).env("XDG_STATE_HOME", env.state_home()).env("PATH", path);
    command.env("USER", "ann");
    let output = command.stdin(Stdio::null()).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let folder = env.path().canonicalize().expect("the folder is there");
    let state = env.state_home().canonicalize().expect("the folder is there");
    let text = text.replace(&*state.to_string_lossy(), STATE);
    text.replace(&*folder.to_string_lossy(), FOLDER)
}

/// Returns the lines with what differs from run to run replaced or left out: ids and times, how much
/// memory a server takes, the bars of a timeline with their legend, and spaces between columns.
pub(super) fn comparable(text: &str) -> Vec<String> {
    let is_bar = |word: &str| word.chars().all(|c| "·─".contains(c) || ('▁'..='▓').contains(&c));
    let squeezed = |line: &str| {
        let line = line.replace(" MiB", "MiB");
        let words = line.split_whitespace().filter(|word| !is_bar(word));
        let words = words.map(|word| if word.ends_with("MiB") { "[size]" } else { word });
        let mut words: Vec<_> = words.collect();
        // A call that waited for a moment has the time of it beside its own.
        words.dedup_by(|word, before| word == before && *word == "[span]");
        words.join(" ")
    };
    let text = redacted(text);
    text.lines().filter(|line| !is_legend(line)).map(squeezed).collect()
}

/// Reports whether a line belongs to the legend of a timeline: which marks occur depends on how long
/// things took.
fn is_legend(line: &str) -> bool {
    let words = line.trim_start();
    let name = words.strip_prefix(['·', '─', '░', '▒', '▓', '█']).map(str::trim_start);
    words.starts_with("whole width")
        || name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Runs the commands of a block, and returns it with what they printed.
fn run(env: &TestEnv, block: &CodeBlock) -> String {
    let mut text = String::new();
    let mut shown_nothing = false;
    for line in block.text.lines().filter(|line| line.starts_with("$ ")) {
        let shown = printed(env, line.trim_start_matches("$ "));
        let space = if text.is_empty() || shown_nothing { "" } else { "\n" };
        shown_nothing = shown.is_empty();
        text += &format!("{space}{line}\n{shown}");
    }
    let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}

#[test]
fn commands_print_what_the_manual_shows() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in manual() {
        let env = pml();
        write_files(&env, &page);
        for block in page.code_blocks() {
            if !block.is_in("console") || !block.is_marked("run") {
                continue;
            }
            count += 1;
            let found = run(&env, &block);
            if comparable(&found) == comparable(&block.text) {
                continue;
            }
            let fence = format!("```{}\n", block.words.join(" "));
            match updates_documents() {
                true => {
                    let (old, new) = (&block.text, format!("{fence}{found}```"));
                    update_document(&page.name, &format!("{fence}{old}```"), &new);
                }
                false => wrong.push(at(&page, &block, &found)),
            }
        }
    }
    assert!(count > 0, "no command of the manual is run");
    assert!(wrong.is_empty(), "`just docs` writes what is printed now\n{}", wrong.join("\n"));
}

#[test]
fn the_first_command_of_readme_prints_what_it_shows() {
    let program = project_root().join("host/examples/hello.ts");
    let output = pml().run(&["run", program.to_str().expect("UTF-8")]);
    let command = "$ cargo run --release --bin pml -- run host/examples/hello.ts";
    let readme = Document::read("README.md").text;
    assert!(readme.contains(&format!("{command}\n{}", output.stdout)), "{}", output.stdout);
}

fn at(page: &Document, block: &CodeBlock, found: &str) -> String {
    let Document { name, .. } = page;
    format!("{name}:{}\n--- shown\n{}--- printed\n{found}", block.line, block.text)
}
