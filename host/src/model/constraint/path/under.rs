//! Compares a path with a folder.

use super::parse::{parse_path, resolve_lexically};
use super::resolve::{PathResolver, PathStart, ResolvedPath};

/// Reports whether a path is `folder` or lies below it, in every way to read it.
pub(in crate::model::constraint) fn is_under(
    text: &str,
    folder: &str,
    paths: &dyn PathResolver,
) -> bool {
    let Some(folder) =
        resolve_lexically(folder).filter(is_constrainable).and_then(|folder| paths.folder(folder))
    else {
        return false;
    };
    let Some(path) = parse_path(text) else { return false };
    let Some(place) = path.resolve().filter(is_constrainable) else { return false };
    let within = |steps: &[String]| {
        let leads = paths.follow(path.start, steps);
        leads.is_some_and(|leads| leads.lies_in(&folder))
    };
    // Some programs remove `link/..` from a path; others follow the link and go up from its target.
    within(&place.names) && (path.steps == place.names || within(&path.steps))
}

/// Reports whether a condition can require a path with this start to lie in a folder.
fn is_constrainable(place: &ResolvedPath) -> bool {
    place.start != PathStart::Home
}
