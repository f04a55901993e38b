//! Guesses the kind of an argument: a path, a URL, a command, or prose.
//!
//! Input: arguments. Output: their kind, judged by their text or by their name. In doubt a text
//! counts as a path, a URL or a command: then no offer leaves it free.

use crate::model::words;
use serde_json::Value;

/// Last words of names of paths.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "outfile",
    "infile",
];

/// Last words of names of folders.
const FOLDERS: &[&str] = &[
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "root",
    "roots",
    "cwd",
    "workdir",
    "workspace",
];

/// Last words of names of sources and destinations, which may be paths or something else.
const SOURCES_AND_DESTINATIONS: &[&str] = &[
    "source",
    "sources",
    "src",
    "destination",
    "destinations",
    "dest",
    "dst",
    "target",
    "targets",
];

/// Last words of names of arguments that are executed, or that control how something is executed.
const COMMANDS: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "script",
    "code",
    "sql",
    "shell",
    "exec",
    "statement",
    "program",
    "expression",
    "expr",
    "eval",
    "function",
    "arg",
    "args",
    "argv",
    "arguments",
    "flag",
    "flags",
    "env",
    "environment",
    "header",
    "headers",
    "hook",
    "template",
];

/// Last words of names of texts that people write for people.
const PROSE: &[&str] = &[
    "content",
    "contents",
    "text",
    "body",
    "message",
    "title",
    "description",
    "summary",
    "comment",
    "note",
    "notes",
    "caption",
    "subject",
    "question",
    "thought",
    "string",
    "markdown",
];

/// Last words of names of search terms.
const SEARCHES: &[&str] =
    &["query", "q", "search", "term", "terms", "keyword", "keywords", "phrase"];

/// First words of database statements.
const STATEMENTS: &[&str] = &[
    "select", "insert", "update", "delete", "drop", "create", "alter", "truncate", "grant",
    "revoke", "with", "merge", "replace", "attach", "pragma", "copy", "call", "exec", "execute",
    "match",
];

/// Character sequences that a shell interprets.
const SHELL_SYNTAX: &[&str] = &["$(", "${", "&&", "||", " | ", ";", ">", "<(", "`"];

/// Beginnings of texts that change files.
const PATCHES: &[&str] = &["diff ", "--- ", "+++ ", "*** begin patch", "index: "];

/// Longest text without a blank that counts as one of a few values: a mode, a flag, a name.
const WORD_LENGTH: usize = 40;

/// Reports whether a text is executed, or controls how something is executed.
pub(super) fn is_command(name: &str, text: &str) -> bool {
    let (last, lower) = (last_word(name), text.trim().to_ascii_lowercase());
    if PROSE.contains(&last.as_str()) {
        return false;
    }
    let first = lower.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let statement = STATEMENTS.contains(&first) && lower.contains(char::is_whitespace);
    let patches = |line: &str| PATCHES.iter().any(|begin| line.starts_with(begin));
    COMMANDS.contains(&last.as_str())
        || statement
        || SHELL_SYNTAX.iter().any(|part| lower.contains(part))
        || lower.lines().any(patches)
}

/// Reports whether a text is prose or a search term, and so does not control what is done.
pub(super) fn is_prose(name: &str, text: &str) -> bool {
    let last = last_word(name);
    let named = PROSE.contains(&last.as_str()) || SEARCHES.contains(&last.as_str());
    let long = text.chars().count() > WORD_LENGTH || text.trim().contains(char::is_whitespace);
    !is_command(name, text) && (named || long)
}

/// Reports whether all texts in a value are prose, at any depth.
pub(super) fn is_all_prose(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => is_prose(name, text),
        Value::Array(items) => items.iter().all(|item| is_all_prose(name, item)),
        Value::Object(fields) => fields.iter().all(|(name, value)| is_all_prose(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reports whether a value contains a command, at any depth.
pub(super) fn contains_command(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => is_command(name, text),
        Value::Array(items) => items.iter().any(|item| contains_command(name, item)),
        Value::Object(fields) => fields.iter().any(|(name, value)| contains_command(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Reports whether an argument's name is that of a folder.
pub(super) fn names_folder(name: &str) -> bool {
    FOLDERS.contains(&last_word(name).as_str())
}

/// Reports whether a text under this name is a path, so that a condition can require it to lie in a
/// folder.
pub(super) fn is_path(name: &str, text: &str) -> bool {
    let last = last_word(name);
    let named = PATHS.contains(&last.as_str()) || FOLDERS.contains(&last.as_str());
    let end = SOURCES_AND_DESTINATIONS.contains(&last.as_str()) && !text.trim().contains('\n');
    looks_like_path(text) || !text.is_empty() && (named || end) && !is_url(text)
}

/// Reports whether a text is a URL, of any scheme.
pub(super) fn is_url(text: &str) -> bool {
    let text = text.trim();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let plain = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    !text.contains(char::is_whitespace)
        && scheme.is_some_and(|scheme| !scheme.is_empty() && scheme.chars().all(plain))
}

/// Reports whether an argument contains a path or a URL, at any depth.
pub(super) fn leads_elsewhere(name: &str, value: &Value) -> bool {
    // Everything inside an argument with the name of a path may be a path, under any name.
    let mut pending = vec![(name, value, false)];
    while let Some((name, value, within_path)) = pending.pop() {
        match value {
            Value::String(text) => {
                let named = within_path && !text.is_empty();
                if named || is_path(name, text) || is_url(text) || is_file_from_here(text) {
                    return true;
                }
            }
            Value::Array(items) => {
                pending.extend(items.iter().map(|item| (name, item, within_path)))
            }
            Value::Object(fields) => {
                let within_path = within_path || is_path(name, "x");
                for (key, value) in fields {
                    if looks_like_path(key) || is_url(key) || is_file_from_here(key) {
                        return true;
                    }
                    pending.push((key, value, within_path));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    false
}

/// Reports whether a text begins like a path, or contains `..` like one. A text of several lines is
/// prose.
fn looks_like_path(text: &str) -> bool {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let begins = ["/", "~", "./", "../", "\\", ".\\", "..\\", "file:", "$home", "%userprofile%"];
    let drive =
        matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let climbs = text.split(['/', '\\']).any(|name| name == "..");
    !text.contains('\n') && (drive || climbs || begins.iter().any(|begin| lower.starts_with(begin)))
}

/// Reports whether a text is a word with a slash whose last part has an extension: `docs/a.md`, not
/// `text/plain`.
fn is_file_from_here(text: &str) -> bool {
    let last = text.trim().rsplit_once('/').map(|(_, last)| last);
    let ending = last.and_then(|last| last.rsplit_once('.'));
    !text.trim().contains(char::is_whitespace)
        && ending.is_some_and(|(name, ending)| !name.is_empty() && !ending.is_empty())
}

fn last_word(name: &str) -> String {
    words(name).last().map(|word| word.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_command, is_prose, leads_elsewhere};
    use serde_json::json;

    #[test]
    fn paths_and_urls_are_seen_at_any_depth_and_under_any_name() {
        for value in [
            json!("/etc/passwd"),
            json!(" /etc/passwd\n"),
            json!("~/x"),
            json!("../x"),
            json!("a/../../x"),
            json!("C:\\x"),
            json!("c:/x"),
            json!("\\\\host\\share"),
            json!("file:/etc/passwd"),
            json!("FILE:///etc/passwd"),
            json!("$HOME/x"),
            json!("docs/a.md"),
            json!("https://a.example/x"),
            json!("ssh://a.example"),
            json!("//a.example/x"),
            json!(["x", "/a"]),
            json!({ "x": { "y": ["z", { "w": "/a" }] } }),
            json!({ "/etc/passwd": true }),
            json!([{ "path": "a.txt" }]),
            json!({ "outputDir": "a" }),
            json!({ "destination": "a" }),
        ] {
            assert!(leads_elsewhere("x", &value), "{value}");
        }
        for name in ["path", "filePath", "files", "destination", "source", "target", "working_dir"]
        {
            assert!(leads_elsewhere(name, &json!("a")), "{name}");
            assert!(leads_elsewhere(name, &json!([{ "name": "a" }])), "{name}");
        }
    }

    #[test]
    fn what_people_write_is_neither() {
        for value in [
            json!(null),
            json!(5),
            json!(""),
            json!("hello there, and/or good bye."),
            json!("text/plain"),
            json!("acme/site"),
            json!("/* a */\nfn main() {}"),
            json!("see https://a.example/x for more"),
            json!({ "title": "x", "labels": ["a", "b"], "n": [1, 2] }),
        ] {
            assert!(!leads_elsewhere("x", &value), "{value}");
        }
        assert!(!leads_elsewhere("path", &json!("")) && !leads_elsewhere("source", &json!("a\nb")));
    }

    #[test]
    fn commands_are_told_from_what_people_write() {
        for (name, text) in [
            ("command", "ls"),
            ("startScript", "go"),
            ("query", "DROP TABLE users"),
            ("q", "select * from x"),
            ("value", "a; rm -rf x"),
            ("value", "$(id)"),
            ("change", "--- a/x\n+++ b/x\n"),
            ("request_headers", "x"),
        ] {
            assert!(is_command(name, text) && !is_prose(name, text), "{name} {text}");
        }
        for (name, text) in [
            ("content", "rm -rf x; select * from y"),
            ("oldText", "x"),
            ("query", "selected weather"),
            ("query", "weather"),
            ("anything", "two words"),
        ] {
            assert!(is_prose(name, text), "{name} {text}");
        }
        for (name, text) in [("mode", "overwrite"), ("id", "a1b2"), ("x", "")] {
            assert!(!is_prose(name, text) && !is_command(name, text), "{name} {text}");
        }
    }
}
