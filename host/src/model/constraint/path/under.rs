//! Compares a path with a folder.

use super::parse::{place, written};
use super::resolve::{PathResolver, PathStart, ResolvedPath};

/// Reports whether a path is `folder` or lies below it, in every way to read it.
pub(in crate::model::constraint) fn is_under(
    text: &str,
    folder: &str,
    paths: &dyn PathResolver,
) -> bool {
    let Some(folder) = place(folder).filter(is_held).and_then(|folder| paths.folder(folder)) else {
        return false;
    };
    let Some(path) = written(text) else { return false };
    let Some(place) = path.place().filter(is_held) else { return false };
    let within = |steps: &[String]| {
        let leads = paths.follow(path.start, steps);
        leads.is_some_and(|leads| leads.lies_in(&folder))
    };
    // Some programs remove `link/..` from a path; others follow the link and go up from its target.
    within(&place.names) && (path.steps == place.names || within(&path.steps))
}

/// Reports whether a condition can require a path with this start to lie in a folder.
fn is_held(place: &ResolvedPath) -> bool {
    place.start != PathStart::Home
}
