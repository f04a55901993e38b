//! The condition that each argument of a call suggests.

use super::super::condition::{NAME_LIMIT, TEXT_LIMIT};
use super::super::path::{self, PathStart, ResolvedPath};
use super::super::{Condition, PathResolver, argument_kind, host, pointer};
use crate::model::{fold, is_hidden, redact};
use serde_json::{Value, json};

/// Arguments that an offer names at most: a person reads no more.
const MAX_ARGUMENTS: usize = 12;

/// Names of folders, folded, that end like names of files.
const FOLDER_PATHS: &[&str] =
    &["repopath", "repositorypath", "projectpath", "rootpath", "basepath"];

/// Names, folded, of the places that a tool works in, and of their owners.
const PLACES: &[&str] = &[
    "owner",
    "org",
    "organization",
    "repo",
    "repository",
    "reponame",
    "repositoryname",
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
    "team",
    "teamid",
    "calendar",
    "calendarid",
    "topic",
    "queue",
];

/// Names, folded, of parts of such a place: a person may mean all of them.
const PARTS: &[&str] = &["branch", "ref"];

/// The condition that an argument suggests.
pub(super) struct SuggestedCondition {
    pub(super) argument: String,
    /// The strict condition.
    pub(super) strict: Condition,
    /// Whether a looser offer may leave the argument free.
    pub(super) may_be_free: bool,
}

/// Returns the condition that each argument of a call suggests. Returns `None` if an argument
/// suggests none, or if there are too many to read.
pub(super) fn suggestions(
    arguments: &Value,
    paths: &dyn PathResolver,
) -> Option<Vec<SuggestedCondition>> {
    let given = arguments.as_object()?;
    let mut collector = SuggestionCollector { paths, trail: Vec::new(), suggested: Vec::new() };
    for (name, value) in given {
        collector.argument(name, value)?;
    }
    Some(collector.suggested)
}

struct SuggestionCollector<'a> {
    paths: &'a dyn PathResolver,
    trail: Vec<String>,
    suggested: Vec<SuggestedCondition>,
}

impl SuggestionCollector<'_> {
    fn argument(&mut self, name: &str, value: &Value) -> Option<()> {
        self.trail.push(name.to_owned());
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                for (name, value) in fields {
                    self.argument(name, value)?;
                }
            }
            value => {
                let (strict, may_be_free) = self.condition(name, value)?;
                let argument = pointer::name_of_steps(&self.trail);
                let fits = argument.len() <= NAME_LIMIT && self.suggested.len() < MAX_ARGUMENTS;
                let shown = fits && may_be_shown(name, value);
                shown.then(|| {
                    self.suggested.push(SuggestedCondition { argument, strict, may_be_free })
                })?;
            }
        }
        self.trail.pop();
        Some(())
    }

    /// Returns the condition for a value that is not an object, and whether a looser offer may
    /// leave it free.
    fn condition(&self, name: &str, value: &Value) -> Option<(Condition, bool)> {
        let texts = texts(value);
        let any = |is: fn(&str, &str) -> bool| texts.iter().any(|text| is(name, text));
        if any(argument_kind::is_path) {
            let folder = self.folder(name, value, &texts).map(Condition::Under);
            return folder.or_else(|| exact_condition(value)).map(|strict| (strict, false));
        }
        if any(|_, text| argument_kind::is_url(text)) {
            let at = texts.first().and_then(|text| host::host_condition(text)).map(Condition::Host);
            let at = at.filter(|at| at.holds(value, self.paths));
            return at.or_else(|| exact_condition(value)).map(|strict| (strict, false));
        }
        let folded = fold(name);
        let free = match value {
            _ if argument_kind::leads_elsewhere(name, value)
                || argument_kind::contains_command(name, value) =>
            {
                false
            }
            _ if PLACES.contains(&folded.as_str()) => false,
            Value::Number(_) => return Some((Condition::Equals(value.clone()), true)),
            Value::String(text) => argument_kind::is_prose(name, text),
            Value::Array(items) if items.is_empty() => false,
            // A list that is too long to judge, and contains no path, URL or command, counts as
            // prose.
            Value::Array(_) => {
                argument_kind::is_all_prose(name, value) || exact_condition(value).is_none()
            }
            _ => false,
        };
        match free {
            true => Some((Condition::Any, false)),
            false => Some((exact_condition(value)?, PARTS.contains(&folded.as_str()))),
        }
    }

    /// Returns the folder that contains all paths of an argument: as written or, if that does not
    /// hold, with links resolved.
    fn folder(&self, name: &str, value: &Value, texts: &[&str]) -> Option<String> {
        let written = |text: &str| path::resolve_lexically(text);
        let real = |text: &str| {
            let written = path::parse_path(text)?;
            self.paths.follow(written.start, &written.resolve()?.names)
        };
        let holds = |folder: &String| Condition::Under(folder.clone()).holds(value, self.paths);
        common_folder(name, texts, written)
            .filter(holds)
            .or_else(|| common_folder(name, texts, real).filter(holds))
    }
}

/// Returns the folder that contains all paths.
fn common_folder(
    name: &str,
    texts: &[&str],
    place: impl Fn(&str) -> Option<ResolvedPath>,
) -> Option<String> {
    let is_folder =
        argument_kind::names_folder(name) || FOLDER_PATHS.contains(&fold(name).as_str());
    let mut common: Option<ResolvedPath> = None;
    for text in texts {
        let mut place = place(text)?;
        // Nobody who allows one file means everything at the root.
        let least = usize::from(place.start != PathStart::Here);
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
    (common.start == PathStart::Here || !common.names.is_empty()).then(|| common.text())
}

/// Returns the condition for exactly this value, if a person can judge it.
fn exact_condition(value: &Value) -> Option<Condition> {
    let text = value.to_string();
    let plain = match value {
        // The text itself is checked, not its JSON form.
        Value::String(text) => !text.chars().any(is_hidden),
        _ => !text.chars().any(is_hidden) && !text.contains("\\u"),
    };
    (plain && text.len() <= TEXT_LIMIT / 4).then(|| Condition::Equals(value.clone()))
}

/// Reports whether an argument can be written to a file and shown without redaction.
fn may_be_shown(name: &str, value: &Value) -> bool {
    let shown = json!({ name: value });
    redact(&shown) == shown
}

/// Returns the texts of an argument. The list is empty if it contains anything else.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
            texts.unwrap_or_default()
        }
        _ => Vec::new(),
    }
}
