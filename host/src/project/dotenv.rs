//! The project's `.env`: `NAME=value`, one per line; a quoted value may have several lines. There
//! is no shell syntax, no variables in values, and no escapes except those of double quotes.
//!
//! **Invariant:** its values reach only `env` and `headers` of a server, and the cloud's key. A
//! person does not trust this file, because the keys in it change; so it must not decide what is
//! started or where keys are sent.

use super::expand::is_variable;
use crate::disk::user_files::{FileContents, display_path};
use crate::error::Error;
use crate::model::{Code, Secret};
use std::collections::BTreeMap;

/// Reads the variables of a `.env`. If a name occurs twice, the last one counts.
pub(super) fn parse(file: &FileContents) -> Result<BTreeMap<String, Secret>, Error> {
    let refuse = |line: usize, message: &str| {
        // The line itself is not shown, because it may contain a secret.
        let message = format!("{message}: {}:{line}", display_path(&file.path));
        Error::new(Code::Config, message).with_hint("write one `NAME=value` on each line")
    };
    let text = std::str::from_utf8(&file.bytes).map_err(|_| refuse(1, "the file is not UTF-8"))?;
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut variables = BTreeMap::new();
    while !rest.is_empty() {
        let line = text[..text.len() - rest.len()].matches('\n').count() + 1;
        let (first, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let trimmed = first.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            rest = after;
            continue;
        }
        let Some(equals) = first.find('=') else {
            return Err(refuse(line, "the line has no `=`"));
        };
        let name = trimmed.strip_prefix("export ").unwrap_or(trimmed);
        let name = name.split('=').next().unwrap_or_default().trim();
        if !is_variable(name) {
            return Err(refuse(line, "the text before `=` is not the name of a variable"));
        }
        let (value, after) = value(&rest[equals + 1..]).map_err(|message| refuse(line, message))?;
        variables.insert(name.to_owned(), Secret::new(value));
        rest = after;
    }
    Ok(variables)
}

/// Returns the value at the beginning of `text`, and the lines after it. A quoted value may have
/// several lines.
fn value(text: &str) -> Result<(String, &str), &'static str> {
    let text = text.trim_start_matches([' ', '\t']);
    let (value, rest) = match text.chars().next() {
        Some('\'') => {
            let (value, rest) = text[1..].split_once('\'').ok_or(OPEN)?;
            (value.to_owned(), rest)
        }
        Some('"') => double_quoted(&text[1..])?,
        _ => {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            // A `#` inside a word belongs to the word.
            let end = [" #", "\t#"].iter().filter_map(|note| line.find(note)).min();
            return Ok((line[..end.unwrap_or(line.len())].trim().into(), rest));
        }
    };
    let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let line = line.trim();
    match line.is_empty() || line.starts_with('#') {
        true => Ok((value, rest)),
        false => Err("something follows the closing quote"),
    }
}

const OPEN: &str = "a quote is not closed";

fn double_quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => return Ok((value, characters.as_str())),
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
                None => break,
            },
            c => value.push(c),
        }
    }
    Err(OPEN)
}

#[cfg(test)]
mod tests {
    use super::{FileContents, parse};

    fn read(text: &str) -> Result<Vec<(String, String)>, String> {
        let file = FileContents { path: "/p/.env".into(), bytes: text.into() };
        let variables = parse(&file).map_err(|error| error.to_string())?;
        Ok(variables.into_iter().map(|(name, value)| (name, value.reveal().into())).collect())
    }

    #[test]
    fn lines_are_names_and_values() {
        let text = "\u{feff}# keys\r\nA=1\r\nexport B = two words  # note\n\nC='a # $B \\n'\nD=\"x\\n\\\"y\\\" ${A}\" # n\nE=\nF=a#b\nA=last\nG=\"one\ntwo\"\nH=h";
        let pairs = [
            ("A", "last"),
            ("B", "two words"),
            ("C", "a # $B \\n"),
            ("D", "x\n\"y\" ${A}"),
            ("E", ""),
            ("F", "a#b"),
            ("G", "one\ntwo"),
            ("H", "h"),
        ];
        let expected: Vec<_> = pairs.map(|(name, value)| (name.into(), value.into())).into();
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn what_is_no_pair_is_refused_without_showing_it() {
        for text in ["A", "1A=x", "A B=hunter2", "A='hunter2", "A=\"hunter2", "A='x' hunter2"] {
            let error = read(&format!("OK=1\n{text}")).expect_err(text);
            assert!(error.ends_with(": /p/.env:2") && !error.contains("hunter2"), "{error}");
        }
    }
}
