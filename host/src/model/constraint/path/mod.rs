//! Paths.
//!
//! In flow the texts of a call and of a condition, out flows whether the one lies below the other.
//! Who opens the path in the end is another program, and it does so later: what was a folder then
//! may be a link.
//!
//! **Invariant:** a path that some program might read in another way has no place: what a shell or
//! a server might expand, decode or trim, and everything with a backslash, which is a separator on
//! one machine and a letter on the other.

use super::condition::TEXT_LIMIT;
use crate::model::is_hidden;
use url::Url;

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStart {
    /// At the root.
    Root,
    /// At somebody's home, by `~`. Nobody knows whether its reader expands that: no condition holds
    /// for it.
    Home,
    /// At a folder of the program's that reads it.
    Here,
}

/// Where a path leads: no `.`, no `..`, no doubled slashes in it any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedPath {
    pub(crate) start: PathStart,
    pub(crate) names: Vec<String>,
}

/// Says where paths lead.
pub(crate) trait PathResolver {
    /// Follows the steps of a path, `..` among them, through all links that exist. Nothing where
    /// nobody can say where they lead.
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath>;

    /// Returns where the folder is that a condition names. Links in it are not followed: one that
    /// comes to be there later leads out of what was allowed.
    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath>;
}

/// Paths of another machine: their words are all that is known of them.
pub(crate) struct LexicalPaths;

impl PathResolver for LexicalPaths {
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath> {
        ParsedPath { start, steps: steps.to_vec() }.place()
    }

    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath> {
        Some(folder)
    }
}

/// A path as it was written. `.` and doubled slashes are gone: they mean nothing to anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedPath {
    pub(super) start: PathStart,
    pub(super) steps: Vec<String>,
}

/// Returns whether a path is `folder` or lies below it, in every way to read it.
pub(super) fn is_under(text: &str, folder: &str, paths: &dyn PathResolver) -> bool {
    let Some(folder) = place(folder).filter(is_held).and_then(|folder| paths.folder(folder)) else {
        return false;
    };
    let Some(path) = written(text) else { return false };
    let Some(place) = path.place().filter(is_held) else { return false };
    let within = |steps: &[String]| {
        let leads = paths.follow(path.start, steps);
        leads.is_some_and(|leads| leads.lies_in(&folder))
    };
    // Some programs take `link/..` away, others go where the link leads and up from there.
    within(&place.names) && (path.steps == place.names || within(&path.steps))
}

/// Whether a path by its start can be held to a folder.
fn is_held(place: &ResolvedPath) -> bool {
    place.start != PathStart::Home
}

/// Returns where a path leads by its words; nothing if it climbs out of where it begins, or is no
/// plain path.
pub(super) fn place(text: &str) -> Option<ResolvedPath> {
    written(text)?.place()
}

/// Returns a path as it is written, decoded where it is a `file:` URL; nothing if it is no plain
/// path.
pub(super) fn written(text: &str) -> Option<ParsedPath> {
    match text.starts_with("file:") {
        true => plain(&decoded(text)?).filter(|path| path.start == PathStart::Root),
        false => plain(text),
    }
}

fn plain(text: &str) -> Option<ParsedPath> {
    if !is_plain(text) {
        return None;
    }
    let (start, rest) = match (text.strip_prefix('/'), text.split_once('/')) {
        (Some(rest), _) => (PathStart::Root, rest),
        (None, _) if text == "~" => (PathStart::Home, ""),
        (None, Some(("~", rest))) => (PathStart::Home, rest),
        // Another user's home, a drive, a URL, a variable, an option, one of many: all but a path
        // from here.
        (None, _) if text.starts_with(['~', '%', '-', '@']) || scheme(text) => return None,
        (None, _) => (PathStart::Here, text),
    };
    let mut steps = Vec::new();
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => steps.push(name.to_owned()),
            // Some systems take what is at the end of these away.
            name if name.trim_matches(['.', ' ']).is_empty() || name.contains("..") => return None,
            name => steps.push(name.to_owned()),
        }
    }
    Some(ParsedPath { start, steps })
}

/// Whether a path is read to the letter by whoever reads it.
fn is_plain(text: &str) -> bool {
    (1..=TEXT_LIMIT).contains(&text.len())
        && text.trim() == text
        && !text.contains("://")
        && !text.chars().any(|c| is_hidden(c) || matches!(c, '\\' | '$' | '`'))
        // What stands for many may stand for a link among them.
        && !text.contains(['*', '?', '[', '{'])
        && !is_encoded(text)
}

/// Whether a text has something in it that a reader may decode.
fn is_encoded(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    starts.into_iter().any(|(at, _)| {
        let after = &bytes[at + 1..];
        digit(after.first()) && digit(after.get(1)) || matches!(after.first(), Some(b'u' | b'U'))
    })
}

/// The path of a `file:` URL of this machine that every reader decodes alike.
fn decoded(text: &str) -> Option<String> {
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

fn scheme(text: &str) -> bool {
    text.split('/').next().is_some_and(|first| first.contains(':'))
}

impl ParsedPath {
    /// Returns where it leads by its words; nothing if it climbs out of where it begins.
    pub(super) fn place(&self) -> Option<ResolvedPath> {
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

impl ResolvedPath {
    /// Returns whether it is a folder or lies below it.
    pub(super) fn lies_in(&self, folder: &ResolvedPath) -> bool {
        self.start == folder.start && self.names.starts_with(&folder.names)
    }

    /// Returns the place as a path.
    pub(super) fn text(&self) -> String {
        let names = self.names.join("/");
        match self.start {
            PathStart::Root => format!("/{names}"),
            PathStart::Home if names.is_empty() => "~".into(),
            PathStart::Home => format!("~/{names}"),
            PathStart::Here if names.is_empty() => ".".into(),
            PathStart::Here => names,
        }
    }
}

#[cfg(test)]
mod tests;
