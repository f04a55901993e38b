//! The conditions that a call suggests, for a person to choose from.
//!
//! **Invariant:** what is offered holds for the very call it was made from, says nothing secret, and leaves no other path or
//! URL of the call free, at whatever depth it stands: better nothing is offered than something loose.

use super::condition::{NAME_LIMIT, TEXT_LIMIT};
use super::path::{self, Place, Start};
use super::{Condition, Constraint, host, likeness};
use crate::model::{fold, is_hidden, redact};
use serde_json::{Map, Value, json};

/// Offers that a person still reads.
const MOST: usize = 4;

/// Arguments that are looked at. Tools have a handful.
const ARGUMENTS: usize = 64;

/// Names, folded, of folders that end like those of files.
const FOLDER_PATHS: &[&str] =
    &["repopath", "repositorypath", "projectpath", "rootpath", "basepath"];

/// Names, folded, of those who own repositories.
const OWNERS: &[&str] = &["owner", "org", "organization"];

/// Names, folded, of repositories.
const REPOSITORIES: &[&str] = &["repo", "repository", "reponame", "repositoryname"];

/// Names, folded, of things that a tool works within.
const PLACES: &[&str] = &[
    "database",
    "databasename",
    "databaseid",
    "db",
    "channel",
    "channelid",
    "channelname",
    "project",
    "projectid",
    "projectkey",
    "table",
    "tablename",
    "collection",
    "bucket",
    "namespace",
    "schema",
    "branch",
    "team",
    "teamid",
    "calendar",
    "calendarid",
    "topic",
    "queue",
];

/// Returns what a person may choose from who allows calls like this one for good: each is a list of conditions that hold
/// together, the most useful first, and all of them hold for these arguments. Nothing if the call suggests none.
pub fn offered(arguments: &Value) -> Vec<Vec<Constraint>> {
    let Some(given) = arguments.as_object().filter(|given| given.len() <= ARGUMENTS) else {
        return Vec::new();
    };
    let (Some(folders), Some(hosts)) = (folders(given), hosts(given)) else { return Vec::new() };
    // Every path and every URL is held, whatever else is.
    let held: Vec<_> = folders.into_iter().chain(hosts).collect();
    let repository = repository(given);
    let with = |more: Vec<Constraint>| -> Vec<Constraint> {
        let more = repository.iter().cloned().chain(more);
        more.chain(held.iter().cloned()).collect()
    };
    let mut offers = vec![with(Vec::new())];
    for (name, value) in given.iter().filter(|(name, _)| PLACES.contains(&fold(name).as_str())) {
        // A branch is one of a repository.
        offers.extend(exactly(name, value).map(|exactly| with(vec![exactly])));
    }
    let mut chosen: Vec<Vec<Constraint>> = Vec::new();
    for offer in offers {
        let sound = |one: &Constraint| one.flaw().is_none() && one.holds(arguments);
        let free = Constraint::leave_free(&offer, arguments);
        if !offer.is_empty() && !free && offer.iter().all(sound) && !chosen.contains(&offer) {
            chosen.push(offer);
        }
    }
    chosen.truncate(MOST);
    chosen
}

/// Every path of the call under its folder; nothing if one of them cannot be held to one.
fn folders(given: &Map<String, Value>) -> Option<Vec<Constraint>> {
    let paths = given.iter().filter(|(name, value)| is_path(name, value));
    let held = paths.map(|(name, value)| {
        let folder = folder(name, value).filter(|_| may_be_shown(name, value))?;
        Some(Constraint::new(name, Condition::Under(folder)))
    });
    held.collect()
}

/// Whether an argument is a path, or a list of them.
fn is_path(name: &str, value: &Value) -> bool {
    texts(value).iter().any(|text| likeness::is_path(name, text))
}

/// The folder that all paths of an argument are in.
fn folder(name: &str, value: &Value) -> Option<String> {
    let is_folder = likeness::names_folder(name) || FOLDER_PATHS.contains(&fold(name).as_str());
    let mut common: Option<Place<'_>> = None;
    for text in texts(value) {
        let mut place = path::place(text)?;
        // All that is at the root, or at home, is more than anybody means by one file.
        let least = usize::from(place.start != Start::Here);
        if !is_folder && !text.ends_with('/') && place.names.len() > least {
            place.names.pop();
        }
        common = Some(match common {
            None => place,
            Some(known) if known.start != place.start => return None,
            Some(mut known) => {
                let same = known.names.iter().zip(&place.names).take_while(|(a, b)| a == b).count();
                known.names.truncate(same);
                known
            }
        });
    }
    let common = common?;
    (common.start == Start::Here || !common.names.is_empty()).then(|| common.text())
}

/// Exactly the repository of the call.
fn repository(given: &Map<String, Value>) -> Vec<Constraint> {
    let named = |names: &[&str]| {
        let mut found = given.iter().filter(|(name, _)| names.contains(&fold(name).as_str()));
        found.next().filter(|(name, value)| !is_path(name, value) && texts(value).len() == 1)
    };
    let Some((name, value)) = named(REPOSITORIES) else { return Vec::new() };
    let Some(repository) = exactly(name, value) else { return Vec::new() };
    match named(OWNERS) {
        Some((name, value)) => exactly(name, value).into_iter().chain([repository]).collect(),
        None => vec![repository],
    }
}

/// Every URL of the call at its host; nothing if one of them cannot be held to one.
fn hosts(given: &Map<String, Value>) -> Option<Vec<Constraint>> {
    let urls = given.iter().filter(|(name, value)| {
        !is_path(name, value) && texts(value).iter().any(|text| likeness::is_url(text))
    });
    let held = urls.map(|(name, value)| {
        let host = texts(value).first().and_then(|text| host::shown(text));
        let host =
            host.filter(|host| name.len() <= NAME_LIMIT && may_be_shown(name, &json!(host)))?;
        Some(Constraint::new(name, Condition::Host(host)))
    });
    held.collect()
}

fn exactly(name: &str, value: &Value) -> Option<Constraint> {
    let plain = match value {
        Value::String(text) => {
            !text.is_empty() && text.len() <= TEXT_LIMIT / 4 && !text.chars().any(is_hidden)
        }
        Value::Number(_) => true,
        _ => false,
    };
    (plain && may_be_shown(name, value))
        .then(|| Constraint::new(name, Condition::Equals(value.clone())))
}

/// Whether an argument can be written into a file and shown as it is.
fn may_be_shown(name: &str, value: &Value) -> bool {
    let shown = json!({ name: value });
    redact(&shown) == shown
}

/// The texts that an argument is, if it is nothing else.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().take(1_000).map(Value::as_str).collect();
            texts.unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
