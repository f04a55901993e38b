//! Others' words, fitted: each part of a line keeps its place, however long another one is.

use crate::model::{
    Change, Difference, Package, TrustNeed, Variables, brief, brief_arguments, cut, escape, redact,
};
use serde_json::Value;

/// Stands between our words and those of others.
const BAR: &str = " │ ";

/// Characters of the parts of a package: together they fit into a line.
const NAME: usize = 76;
const VERSION: usize = 30;
const SOURCE: usize = 48;

/// Characters of the names of variables, and of the file they go into.
const NAMES: usize = 100;
const FILE: usize = 70;

/// Characters of a difference, before and after; and how many of them are the same.
const EXCERPT: usize = 60;
const CONTEXT: usize = 16;

/// Characters of what a folder would do, in the one line there is.
const WOULD: usize = 170;

/// Items of a list that are seen, however long the first ones are.
const SEEN: usize = 3;

/// Parts of a tool in the order in which a change of them matters to a person.
const TELLING: &[&str] = &["server", "package", "description", "annotations", "inputSchema"];

/// Our words, and those of others.
pub(super) struct Labelled<'a> {
    pub(super) label: &'a str,
    pub(super) text: &'a str,
}

impl Labelled<'_> {
    /// Returns one line of at most `most` characters, its label `width` wide.
    pub(super) fn line(&self, width: usize, most: usize) -> String {
        let ours = format!("{:width$}{BAR}", self.label);
        let room = most.saturating_sub(ours.chars().count());
        format!("{ours}{}", cut(&one_line(self.text), room))
    }

    /// The same with arguments behind the text, which is made for a line already.
    pub(super) fn call(&self, width: usize, most: usize, arguments: &Value) -> String {
        let begun = format!("{:width$}{BAR}{}", self.label, self.text);
        let room = most.saturating_sub(begun.chars().count());
        format!("{begun}{}", brief_arguments(arguments, room))
    }
}

/// Returns a text on one line, without secrets that show by their shape.
pub(super) fn one_line(text: &str) -> String {
    let shown = redact(&Value::from(text));
    escape(shown.as_str().unwrap_or_default()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a word as it is, or in quotes where it could be taken for more than one word.
fn word(text: &str, most: usize) -> String {
    let plain = |c: char| c.is_alphanumeric() || "@/._+-:~^".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => cut(text, most),
        false => brief(&Value::from(text), most),
    }
}

/// Returns a package in words, on one line and escaped: `@scope/serena@0.5.0 (1.2 MB) from registry.example`.
pub fn words_of_package(package: &Package) -> String {
    let (name, version) = (word(&package.name, NAME), word(&package.version, VERSION));
    let size = package.size.map_or("size unknown".into(), size);
    format!("{name}@{version} ({size}) from {}", word(&package.source, SOURCE))
}

/// Returns a number of bytes as registries write it: `512 B`, `1.2 MB`.
pub(super) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Returns `GITHUB_TOKEN, OTHER in /project/.env`.
pub(super) fn variables(variables: &Variables) -> String {
    let names = variables.names.iter().map(|name| word(name, NAMES));
    let names = listed(names.collect(), ", ", NAMES);
    format!("{names} in {}", end_of(&one_line(&variables.file), FILE))
}

/// Returns what the files of a folder would do.
pub(super) fn would(need: &TrustNeed) -> String {
    match need.would.is_empty() {
        true => "start nothing and allow nothing".into(),
        false => listed(need.would.iter().map(|line| one_line(line)).collect(), "; ", WOULD),
    }
}

/// Returns the most telling difference, where it begins, and how many more there are.
pub(super) fn differs(change: &Change) -> String {
    let rank = |difference: &&Difference| {
        let place = TELLING.iter().position(|part| *part == difference.part);
        place.unwrap_or(TELLING.len())
    };
    let Some(first) = change.differences.iter().min_by_key(rank) else {
        return "what it was is not at hand".into();
    };
    let (before, after) = (first.before.as_deref(), first.after.as_deref());
    let at = same(before.unwrap_or_default(), after.unwrap_or_default()).saturating_sub(CONTEXT);
    let part = |text: Option<&str>, none: &str| match text {
        Some(text) => {
            let rest: String = text.chars().skip(at).collect();
            let begun = if at > 0 { "…" } else { "" };
            brief(&Value::from(format!("{begun}{rest}")), EXCERPT)
        }
        None => none.into(),
    };
    let (before, after) = (part(before, "nothing"), part(after, "gone"));
    let more = match change.differences.len() {
        0 | 1 => String::new(),
        count => format!("; {} more", count - 1),
    };
    format!("{}: was {before}, is {after}{more}", word(&first.part, VERSION))
}

/// Returns how many characters two texts begin with alike.
fn same(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// Returns as many items as fit, and how many more there are. Where not all fit, long ones are cut: none hides the next.
fn listed(items: Vec<String>, separator: &str, most: usize) -> String {
    let whole = items.join(separator);
    if whole.chars().count() <= most {
        return whole;
    }
    let (mut text, count, between) = (String::new(), items.len(), separator.chars().count());
    let longest = match count {
        1 => most,
        many => (most / many.min(SEEN)).saturating_sub(between),
    };
    for (index, item) in items.into_iter().enumerate() {
        let (item, lead) = (cut(&item, longest), if index == 0 { "" } else { separator });
        if text.chars().count() + lead.chars().count() + item.chars().count() > most {
            return format!("{text}{lead}{} more", count - index);
        }
        text += lead;
        text += &item;
    }
    text
}

/// Returns the end of a text that is too long: of a path, the part that tells.
fn end_of(text: &str, most: usize) -> String {
    match text.chars().count().checked_sub(most) {
        None | Some(0) => text.into(),
        Some(over) => std::iter::once('…').chain(text.chars().skip(over + 1)).collect(),
    }
}
