//! Parses paths.

use super::super::condition::TEXT_LIMIT;
use super::resolve::{PathStart, ResolvedPath};
use crate::model::is_hidden;
use url::Url;

/// A parsed path. `.` and doubled slashes are removed: they have no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model::constraint) struct ParsedPath {
    pub(in crate::model::constraint) start: PathStart,
    pub(in crate::model::constraint) steps: Vec<String>,
}

/// Returns the place of a path by its text alone. Returns `None` if it climbs above its start, or
/// is not a plain path.
pub(in crate::model::constraint) fn resolve_lexically(text: &str) -> Option<ResolvedPath> {
    parse_path(text)?.resolve()
}

/// Parses a path, or a `file:` URL. Returns `None` if it is not a plain path.
pub(in crate::model::constraint) fn parse_path(text: &str) -> Option<ParsedPath> {
    match text.starts_with("file:") {
        true => parse_plain(&decode_file_url(text)?).filter(|path| path.start == PathStart::Root),
        false => parse_plain(text),
    }
}

fn parse_plain(text: &str) -> Option<ParsedPath> {
    if !is_plain(text) {
        return None;
    }
    let (start, rest) = match (text.strip_prefix('/'), text.split_once('/')) {
        (Some(rest), _) => (PathStart::Root, rest),
        (None, _) if text == "~" => (PathStart::Home, ""),
        (None, Some(("~", rest))) => (PathStart::Home, rest),
        // Another user's home, a drive, a URL, a variable, an option, a list file: anything but a
        // relative path.
        (None, _) if text.starts_with(['~', '%', '-', '@']) || has_scheme(text) => return None,
        (None, _) => (PathStart::Here, text),
    };
    let mut steps = Vec::new();
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => steps.push(name.to_owned()),
            // Some systems trim dots and blanks at the end of a name.
            name if name.trim_matches(['.', ' ']).is_empty() || name.contains("..") => return None,
            name => steps.push(name.to_owned()),
        }
    }
    Some(ParsedPath { start, steps })
}

/// Reports whether every program reads the path to the letter.
fn is_plain(text: &str) -> bool {
    (1..=TEXT_LIMIT).contains(&text.len())
        && text.trim() == text
        && !text.contains("://")
        && !text.chars().any(|c| is_hidden(c) || matches!(c, '\\' | '$' | '`'))
        // A wildcard may match a link.
        && !text.contains(['*', '?', '[', '{'])
        && !is_encoded(text)
}

/// Reports whether a text contains something that a reader may decode.
fn is_encoded(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    starts.into_iter().any(|(at, _)| {
        let after = &bytes[at + 1..];
        digit(after.first()) && digit(after.get(1)) || matches!(after.first(), Some(b'u' | b'U'))
    })
}

/// Returns the path of a `file:` URL of this machine that every reader decodes in the same way.
fn decode_file_url(text: &str) -> Option<String> {
    let path = text.strip_prefix("file://").filter(|path| path.starts_with('/'))?;
    let lower = path.to_ascii_lowercase();
    let odd = ["%2e", "%2f", "%5c", "%25", "%00", "%7e"].iter().any(|odd| lower.contains(odd));
    let climbs = path.split('/').any(|name| matches!(name, "." | ".."));
    if odd || climbs || path.contains(['?', '#', '\\']) || text.chars().any(is_hidden) {
        return None;
    }
    let url = Url::parse(text).ok().filter(|url| url.host().is_none())?;
    url.to_file_path().ok()?.into_os_string().into_string().ok()
}

fn has_scheme(text: &str) -> bool {
    text.split('/').next().is_some_and(|first| first.contains(':'))
}

impl ParsedPath {
    /// Returns its place by its text alone, or `None` if it climbs above its start.
    pub(in crate::model::constraint) fn resolve(&self) -> Option<ResolvedPath> {
        let mut names: Vec<String> = Vec::new();
        for step in &self.steps {
            match step.as_str() {
                ".." => drop(names.pop()?),
                _ => names.push(step.clone()),
            }
        }
        Some(ResolvedPath { start: self.start, names })
    }
}
