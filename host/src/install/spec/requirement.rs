//! A package as a launch line asks for it: a name and the accepted versions.

use crate::error::Error;
use crate::model::{Code, Ecosystem, cut, escape};
use std::fmt;

/// The longest name that npm allows. Those of PyPI are shorter.
const MAX_NAME: usize = 214;

/// Maximum length of a version range. Those written by hand are shorter.
const MAX_RANGE: usize = 128;

/// A package with its accepted versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Requirement {
    /// The ecosystem that it comes from.
    ecosystem: Ecosystem,
    /// Its name, for npm with the scope.
    pub(in super::super) name: String,
    /// Extras of a Python package.
    pub(in super::super) extras: Vec<String>,
    /// The accepted versions in the ecosystem's own syntax. Empty for the newest.
    pub(in super::super) versions: String,
}

impl Requirement {
    /// Parses `name` or `@scope/name`, each optionally with `@version`, `@range` or `@tag`.
    pub(super) fn npm(text: &str) -> Result<Requirement, Error> {
        let at = text.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
        let (name, versions) = match at {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, ""),
        };
        let parts = match name.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/').map(|(scope, name)| vec![scope, name]),
            None => Some(vec![name]),
        };
        let is_range_char = |c: char| c.is_ascii_alphanumeric() || " .*^~<>=|+-".contains(c);
        let is_valid = parts.is_some_and(|parts| parts.into_iter().all(is_npm_name))
            && name.len() <= MAX_NAME
            && !is_archive(name)
            && versions.len() <= MAX_RANGE
            && !is_archive(versions)
            && versions.chars().all(is_range_char)
            && !versions.starts_with('-')
            && (at.is_none() || !versions.trim().is_empty());
        match is_valid {
            true => Ok(Requirement {
                ecosystem: Ecosystem::Npm,
                name: name.into(),
                extras: Vec::new(),
                versions: versions.trim().into(),
            }),
            false => Err(unpinnable(text, "some-server@1.2.3")),
        }
    }

    /// Parses `name`, optionally with `[extras]`, and with `@version` or comparisons such as
    /// `==1.2` and `>=1,<2`.
    pub(super) fn pypi(text: &str) -> Result<Requirement, Error> {
        let refused = || unpinnable(text, "some-server==1.2.3");
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !is_pypi_char(c)).unwrap_or(trimmed.len());
        let (name, mut rest) = trimmed.split_at(end);
        let mut extras = Vec::new();
        if let Some(inner) = rest.strip_prefix('[') {
            let (inside, after) = inner.split_once(']').ok_or_else(refused)?;
            extras = inside.split(',').map(|extra| extra.trim().to_owned()).collect();
            rest = after;
        }
        let rest = rest.trim();
        let is_comparison_char = |c: char| c.is_ascii_alphanumeric() || " .*+!<>=~,-_".contains(c);
        let versions = match rest.strip_prefix('@') {
            Some("latest") => Some(String::new()),
            Some(version) if is_version(version) => Some(format!("=={version}")),
            Some(_) => None,
            None if rest.is_empty() => Some(String::new()),
            None => {
                let begins = rest.starts_with(['<', '>', '=', '!', '~']);
                (begins && rest.chars().all(is_comparison_char)).then(|| rest.replace(' ', ""))
            }
        };
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.ends_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(is_pypi_char)
        };
        let fits = name.len() <= MAX_NAME && rest.len() <= MAX_RANGE && extras.len() <= 16;
        match versions {
            Some(versions)
                if fits
                    && is_name(name)
                    && !is_archive(name)
                    && extras.iter().all(|e| is_name(e)) =>
            {
                Ok(Requirement { ecosystem: Ecosystem::Pypi, name: name.into(), extras, versions })
            }
            _ => Err(refused()),
        }
    }

    /// Returns the range of versions that is accepted. `None` if any is, or a tag names it.
    pub(in super::super) fn range(&self) -> Option<&str> {
        let starts = |c: char| c.is_ascii_digit() || "^~<>=*vx".contains(c);
        let is_range = self.versions.starts_with(starts)
            && self.versions.contains(|c: char| c.is_ascii_digit() || c == '*');
        is_range.then_some(self.versions.as_str())
    }

    /// Reports whether a version is the one that is accepted. `true` if several are.
    pub(in super::super) fn accepts(&self, version: &str) -> bool {
        // `1.0` and `1.0.0` are one version of a Python package.
        let plain = |text: &str| {
            let text = text.strip_prefix("==").unwrap_or(text).to_ascii_lowercase();
            match self.ecosystem {
                Ecosystem::Npm => text,
                _ => text.trim_end_matches(".0").to_owned(),
            }
        };
        !self.is_exact() || plain(&self.versions) == plain(version)
    }

    /// Reports whether only one version is accepted.
    pub(super) fn is_exact(&self) -> bool {
        match self.ecosystem {
            // Fewer numbers are a range.
            Ecosystem::Npm => {
                let numbers = self.versions.split(['-', '+']).next().unwrap_or_default().split('.');
                let number = |part: &str| part.parse::<u64>().is_ok();
                is_version(&self.versions)
                    && numbers.clone().count() == 3
                    && numbers.clone().all(number)
            }
            _ => self.versions.strip_prefix("==").is_some_and(is_version),
        }
    }

    /// Returns the package with one exact version, in the syntax of its ecosystem's tool.
    pub(in super::super) fn pinned(&self, version: &str) -> String {
        let separator = match self.ecosystem {
            Ecosystem::Npm => "@",
            _ => "==",
        };
        format!("{}{}{separator}{version}", self.name, bracketed(&self.extras))
    }

    /// Returns the last part of its name, which is often the name of its program.
    pub(in super::super) fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Shows the package in the syntax of its ecosystem's tool.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = match self.ecosystem {
            Ecosystem::Npm if !self.versions.is_empty() => "@",
            _ => "",
        };
        write!(f, "{}{}{separator}{}", self.name, bracketed(&self.extras), self.versions)
    }
}

fn bracketed(extras: &[String]) -> String {
    match extras.is_empty() {
        true => String::new(),
        false => format!("[{}]", extras.join(",")),
    }
}

fn is_npm_name(part: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.chars().all(plain)
}

fn is_pypi_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".+!-_".contains(c);
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(plain)
}

fn is_archive(text: &str) -> bool {
    [".tgz", ".tar", ".tar.gz", ".whl", ".zip"].iter().any(|end| text.ends_with(end))
}

/// Returns an error that names the requested package. Of a URL only the host is shown, since the
/// rest may be secret.
fn unpinnable(text: &str, example: &str) -> Error {
    let shown = match text.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = host.rsplit('@').next().unwrap_or_default();
            let scheme = scheme.rsplit([' ', '@', '/', '=']).next().unwrap_or_default();
            format!("{scheme}://{host}/…")
        }
        None => text.to_owned(),
    };
    let message = format!(
        "`{}` is not a package of a registry, so pml cannot install one exact version of it",
        one_line(&shown)
    );
    Error::new(Code::Config, message).with_hint(format!(
        "write a name and a version, as in `{example}`, or install it yourself and use its program as the `command`"
    ))
}

/// Returns foreign text as one short line.
pub(super) fn one_line(text: &str) -> String {
    cut(&escape(text).replace(['\n', '\t'], " "), 80)
}
