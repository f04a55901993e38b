//! Formats text from elsewhere for one line. Each part has a maximum length of its own, so that a
//! long part never pushes another one out.

use crate::model::{
    Difference, MissingVariables, Package, Redactor, ToolChange, brief_with, fold_middle,
    in_one_line,
};
use serde_json::Value;

/// Maximum characters of the parts of a package: together they fit into a line.
const NAME: usize = 76;
const VERSION: usize = 30;
const SOURCE: usize = 48;

/// Maximum characters of the names of variables, and of the file that sets them.
const NAMES: usize = 100;
const FILE: usize = 70;

/// Characters shown of a difference, before and after; and how many of them are unchanged context.
const EXCERPT: usize = 80;
const CONTEXT: usize = 16;

/// Characters of one item if the whole list is too long.
const ITEM: usize = 48;

/// Parts of a tool, ordered by how much a change of them matters to a person.
const PARTS_BY_IMPORTANCE: &[&str] =
    &["server", "package", "description", "annotations", "inputSchema"];

/// Returns the text as it is, or in quotes if it could be read as more than one word. The text must
/// not be a secret.
fn quote_if_needed(text: &str, limit: usize) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._+-:~^".contains(c);
    let quoted = match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => in_one_line(&Value::from(text).to_string()),
    };
    fold_middle(&quoted, limit)
}

/// Describes a package on one line, escaped:
/// `@scope/serena@0.5.0 (1.2 MB) and 110 more packages from registry.example`.
pub fn describe_package(package: &Package) -> String {
    let (name, version) =
        (quote_if_needed(&package.name, NAME), quote_if_needed(&package.version, VERSION));
    let size = package.size.map_or("size unknown".into(), format_size);
    let more = further_packages(package).map(|more| format!(" and {more}")).unwrap_or_default();
    format!("{name}@{version} ({size}){more} from {}", quote_if_needed(&package.source, SOURCE))
}

/// Returns how many packages come with a package: `110 more packages`. Returns `None` if there are
/// none, or if that is not known.
pub(super) fn further_packages(package: &Package) -> Option<String> {
    match package.further_packages()? {
        0 => None,
        1 => Some("1 more package".into()),
        more => Some(format!("{more} more packages")),
    }
}

/// Describes packages: `evil@1.0.0, other@2.0.0`.
pub(super) fn describe_packages(packages: &[String], limit: usize) -> String {
    join_bounded(
        packages.iter().map(|package| quote_if_needed(package, NAME)).collect(),
        ", ",
        limit,
    )
}

/// Formats a number of bytes as registries do: `512 B`, `1.2 MB`.
pub(super) fn format_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Describes missing variables: `GITHUB_TOKEN, OTHER in /project/.env`.
pub(super) fn describe_variables(variables: &MissingVariables) -> String {
    let names = variables.names.iter().map(|name| quote_if_needed(name, NAMES));
    let names = join_bounded(names.collect(), ", ", NAMES);
    format!("{names} in {}", fold_middle(&in_one_line(&variables.file), FILE))
}

/// Describes the most important difference from where it begins, and counts the others.
pub(super) fn describe_change(change: &ToolChange, redactor: &Redactor) -> String {
    let rank = |difference: &&Difference| {
        let index = PARTS_BY_IMPORTANCE.iter().position(|part| *part == difference.part);
        index.unwrap_or(PARTS_BY_IMPORTANCE.len())
    };
    let Some(first) = change.differences.iter().min_by_key(rank) else {
        return "the earlier version is not stored".into();
    };
    let (before, after) = (first.before.as_deref(), first.after.as_deref());
    let at = common_prefix_length(before.unwrap_or_default(), after.unwrap_or_default())
        .saturating_sub(CONTEXT);
    let part = |text: Option<&str>, none: &str| match text {
        Some(text) => {
            let rest: String = text.chars().skip(at).collect();
            let begun = if at > 0 { "…" } else { "" };
            brief_with(&Value::from(format!("{begun}{rest}")), EXCERPT, redactor)
        }
        None => none.into(),
    };
    let (before, after) = (part(before, "nothing"), part(after, "gone"));
    let more = match change.differences.len() {
        0 | 1 => String::new(),
        count => format!("; {} more", count - 1),
    };
    format!("{}: was {before}, is {after}{more}", quote_if_needed(&first.part, VERSION))
}

/// Returns the length of the common prefix of two texts, in characters.
fn common_prefix_length(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// Joins the items. If they do not fit, shows as many of the first and the last as fit, with the
/// number of those left out between them; long items are then folded, so that none hides the next.
fn join_bounded(items: Vec<String>, separator: &str, limit: usize) -> String {
    let whole = items.join(separator);
    if whole.chars().count() <= limit {
        return whole;
    }
    let items: Vec<String> = items.iter().map(|item| fold_middle(item, ITEM)).collect();
    let between = |left_out: usize| format!("[… {left_out} more …]");
    let room = limit.saturating_sub(between(items.len()).chars().count() + separator.len());
    let size = |item: &String| item.chars().count() + separator.chars().count();
    // Takes items from both ends in turn.
    let (mut first, mut last, mut used) = (0, 0, 0);
    while first + last < items.len() {
        let from_end = last < first;
        let item = if from_end { &items[items.len() - 1 - last] } else { &items[first] };
        if used + size(item) > room {
            break;
        }
        used += size(item);
        if from_end { last += 1 } else { first += 1 }
    }
    let left_out = items.len() - first - last;
    let middle = (left_out > 0).then(|| between(left_out));
    let parts = items[..first].iter().chain(&middle).chain(&items[items.len() - last..]);
    fold_middle(&parts.map(String::as_str).collect::<Vec<_>>().join(separator), limit)
}
