//! Parses the arguments of a runner.

use super::requirement::{Requirement, one_line};
use super::runner::{PackageRunner, RunnerFlag};
use crate::error::Error;
use crate::install::spec::package_spec::{InstallScripts, PackageSpec};
use crate::model::{Code, Ecosystem};

/// Maximum number of words before the package, and of packages. No line written by hand has more.
const MAX_WORDS: usize = 64;

/// The parts that are parsed so far.
struct RunnerLineParser<'a> {
    runner: PackageRunner,
    packages: Vec<Requirement>,
    beside: Vec<Requirement>,
    python: Option<String>,
    /// Whether a `--` ended the flags.
    flags_ended: bool,
    words: std::slice::Iter<'a, String>,
}

/// Parses the arguments of a runner.
pub(super) fn parse(runner: PackageRunner, words: &[String]) -> Result<PackageSpec, Error> {
    let mut parser = RunnerLineParser {
        runner,
        packages: Vec::new(),
        beside: Vec::new(),
        python: None,
        flags_ended: false,
        words: words.iter(),
    };
    let first = parser.first_word()?;
    let arguments = parser.server_arguments()?;
    let RunnerLineParser { mut packages, mut beside, python, .. } = parser;
    let (package, program) = match packages.is_empty() {
        // Bun, uv and pipx start the program with the package's name. npm starts the only one.
        true => (requirement(runner, first)?, None),
        false => {
            let package = packages.remove(0);
            beside.splice(0..0, packages);
            (package, Some(program(runner, first)?))
        }
    };
    if let Some(inexact) = beside.iter().find(|one| !one.is_exact()) {
        let message =
            format!("the launch line adds `{inexact}` to `{package}` without an exact version");
        let hint = match runner.ecosystem() {
            Ecosystem::Npm => format!("name one, as in `-p {}@1.2.3`", inexact.name),
            _ => format!("name one, as in `--with {}==1.2.3`", inexact.name),
        };
        return Err(Error::new(Code::Config, message).with_hint(hint));
    }
    Ok(PackageSpec {
        runner,
        package,
        beside,
        program,
        python,
        arguments,
        scripts: InstallScripts::Refused,
    })
}

impl<'a> RunnerLineParser<'a> {
    /// Returns the first word that is not a flag: a package, or a program of the named packages.
    fn first_word(&mut self) -> Result<&'a str, Error> {
        for _ in 0..MAX_WORDS {
            let Some(word) = self.words.next() else { break };
            match word.as_str() {
                "--" => {
                    self.flags_ended = true;
                    return self.words.next().map(String::as_str).ok_or_else(|| self.no_package());
                }
                flag if flag.starts_with('-') => self.flag(flag)?,
                word => return Ok(word),
            }
        }
        Err(self.no_package())
    }

    /// Returns the server's own arguments. `npm exec` parses flags up to a `--`; the other runners
    /// do not.
    fn server_arguments(&mut self) -> Result<Vec<String>, Error> {
        let mut own = Vec::new();
        if self.runner == PackageRunner::NpmExec && !self.flags_ended {
            while let Some(word) = self.words.next() {
                match word.as_str() {
                    "--" => break,
                    flag if flag.starts_with('-') => self.flag(flag)?,
                    _ => own.push(word.clone()),
                }
            }
        }
        own.extend(self.words.by_ref().cloned());
        Ok(own)
    }

    fn flag(&mut self, word: &str) -> Result<(), Error> {
        let (flag, inline_value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word, None),
        };
        let runner = self.runner;
        let Some(meaning) = runner.flag(flag) else { return Err(unknown_flag(runner, flag)) };
        if meaning == RunnerFlag::Harmless {
            return match inline_value {
                None => Ok(()),
                Some(_) => Err(unknown_flag(runner, flag)),
            };
        }
        let value = inline_value.or_else(|| self.words.next().cloned());
        let value = value.ok_or_else(|| {
            let message = format!("the flag `{flag}` of `{}` has no value", runner.name());
            Error::new(Code::Config, message).with_hint("write the value after the flag")
        })?;
        match meaning {
            RunnerFlag::Package => self.packages.push(requirement(runner, &value)?),
            RunnerFlag::Beside => {
                for one in split_packages(&value) {
                    self.beside.push(requirement(runner, one)?);
                }
            }
            RunnerFlag::Python => self.python = Some(python(&value)?),
            RunnerFlag::Harmless | RunnerFlag::HarmlessValue => {}
        }
        Ok(())
    }

    fn no_package(&self) -> Error {
        let message = format!("the launch line of `{}` names no package", self.runner.name());
        Error::new(Code::Config, message).with_hint("name one, as in `npx -y some-server@1.2.3`")
    }
}

fn requirement(runner: PackageRunner, text: &str) -> Result<Requirement, Error> {
    match runner.ecosystem() {
        Ecosystem::Npm => Requirement::npm(text),
        _ => Requirement::pypi(text),
    }
}

/// The value behind the `=` of a flag may be secret, so it is not shown.
fn unknown_flag(runner: PackageRunner, flag: &str) -> Error {
    let (name, flag) = (runner.name(), one_line(flag));
    let message = format!(
        "pml does not know the flag `{flag}` of `{name}`, so it cannot tell which package is meant"
    );
    let hint = match flag.as_str() {
        "--registry" | "--index" | "--index-url" | "--default-index" | "-i" => {
            "set the registry in the tool's own settings: `~/.npmrc`, `pip.conf` or `uv.toml`"
        }
        _ => {
            "remove the flag, or install the package yourself and use its program as the `command`"
        }
    };
    Error::new(Code::Config, message).with_hint(hint)
}

/// Checks the name of a program, which becomes part of a path.
fn program(runner: PackageRunner, text: &str) -> Result<String, Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+@".contains(c);
    if text.len() <= 100 && !text.starts_with(['.', '-', '@']) && text.chars().all(plain) {
        return Ok(text.into());
    }
    let message =
        format!("`{}` of `{}` is not the name of a program", one_line(text), runner.name());
    Err(Error::new(Code::Config, message).with_hint("write the name of a program of the package"))
}

/// Parses a version of Python. A path or a name is refused, since it could be any program.
fn python(text: &str) -> Result<String, Error> {
    let version = text.strip_prefix("python").unwrap_or(text);
    let plain = !version.is_empty()
        && version.len() <= 16
        && version
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if plain {
        return Ok(version.into());
    }
    let message = format!("`{}` is not a version of Python", one_line(text));
    Err(Error::new(Code::Config, message).with_hint("write it as `3.12`"))
}

/// Splits a list of packages at its commas. A comma inside brackets separates extras, and a comma
/// before a comparison continues a version.
fn split_packages(list: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in list.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0
                && !list[at + 1..].trim_start().starts_with(['<', '>', '=', '!', '~']) =>
            {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
}
