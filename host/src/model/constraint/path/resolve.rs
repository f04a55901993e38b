//! Resolved paths, and the interface that resolves them.

use super::parse::ParsedPath;

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStart {
    /// The root.
    Root,
    /// A home folder, by `~`. It is unknown whether the reader of the path expands it: no condition
    /// holds for it.
    Home,
    /// The folder of the program that reads the path.
    Here,
}

/// A place: a path without `.`, `..` and doubled slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedPath {
    pub(crate) start: PathStart,
    pub(crate) names: Vec<String>,
}

/// Resolves paths.
pub(crate) trait PathResolver {
    /// Follows the steps of a path, including `..`, through all links that exist. Returns `None` if
    /// the result cannot be known.
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath>;

    /// Returns the place of a folder that a condition names. Links in it are not followed: a link
    /// that is created later would lead out of the allowed folder.
    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath>;
}

/// Resolves paths of another machine, by their text alone.
pub(crate) struct LexicalPaths;

impl PathResolver for LexicalPaths {
    fn follow(&self, start: PathStart, steps: &[String]) -> Option<ResolvedPath> {
        ParsedPath { start, steps: steps.to_vec() }.resolve()
    }

    fn folder(&self, folder: ResolvedPath) -> Option<ResolvedPath> {
        Some(folder)
    }
}

impl ResolvedPath {
    /// Reports whether it is `folder` or lies below it.
    pub(in crate::model::constraint) fn lies_in(&self, folder: &ResolvedPath) -> bool {
        self.start == folder.start && self.names.starts_with(&folder.names)
    }

    /// Returns it as a path.
    pub(in crate::model::constraint) fn text(&self) -> String {
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
