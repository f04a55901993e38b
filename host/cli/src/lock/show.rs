//! Changes of a lock, as people and programs read them.

use crate::present_fields::present_fields;
use crate::ui::{BAD, BOLD, GOOD};
use pml::json::{Value, json};
use pml::lock::{Lock, LockChange, LockChangeKind};
use pml::text::in_one_line;

/// Number of tools of one server that are named on one line.
const TOOLS_NAMED: usize = 8;

/// Returns changes as lines. All text behind a `│` comes from elsewhere.
pub(super) fn change_lines(changes: &[LockChange], now: &Lock) -> Vec<String> {
    let mut lines = Vec::new();
    let mut index = 0;
    while let Some(change) = changes.get(index) {
        let plain = |other: &&LockChange| {
            other.server == change.server && other.kind == change.kind && other.tool.is_some()
        };
        // Tools that were only added or removed share a line.
        let group = match (change.kind, &change.tool) {
            (LockChangeKind::Changed, _) | (_, None) => 1,
            _ => changes[index..].iter().take_while(plain).count(),
        };
        lines.extend(group_lines(&changes[index..index + group], now));
        index += group;
    }
    lines
}

fn group_lines(group: &[LockChange], now: &Lock) -> Vec<String> {
    let Some(first) = group.first() else { return Vec::new() };
    let server = in_one_line(&first.server);
    let mark = match first.kind {
        LockChangeKind::Added => format!("{GOOD}+{GOOD:#}"),
        LockChangeKind::Changed => format!("{BOLD}~{BOLD:#}"),
        LockChangeKind::Removed => format!("{BAD}-{BAD:#}"),
    };
    let Some(tool) = &first.tool else {
        let launch = now.servers.get(&first.server).map(|entry| {
            let package = entry.package.as_ref();
            let package = package.map(|it| format!(" ({}@{})", it.name, it.version));
            format!(
                " │ {}{}",
                in_one_line(&entry.launch),
                in_one_line(&package.unwrap_or_default())
            )
        });
        let launch = if first.kind == LockChangeKind::Added { launch } else { None };
        let mut lines = vec![format!("{mark} server {server}{}", launch.unwrap_or_default())];
        lines.extend(difference_lines(first));
        return lines;
    };
    if first.kind == LockChangeKind::Changed {
        let mut lines = vec![format!("{mark} tool {server}:{}", in_one_line(tool))];
        lines.extend(difference_lines(first));
        return lines;
    }
    let names = group.iter().filter_map(|change| change.tool.as_deref());
    let mut named: Vec<String> = names.take(TOOLS_NAMED).map(in_one_line).collect();
    if group.len() > TOOLS_NAMED {
        named.push(format!("and {} more", group.len() - TOOLS_NAMED));
    }
    let word = if group.len() == 1 { "tool" } else { "tools" };
    vec![format!("{mark} {word} of {server} │ {}", named.join(", "))]
}

fn difference_lines(change: &LockChange) -> Vec<String> {
    let mut lines = Vec::new();
    for difference in &change.differences {
        lines.push(format!("    {}", in_one_line(&difference.part)));
        lines.extend(difference.lines().iter().map(|line| format!("    │ {}", in_one_line(line))));
    }
    lines
}

/// Returns changes as JSON.
pub(super) fn changes_json(changes: &[LockChange]) -> Value {
    let change = |change: &LockChange| {
        present_fields(json!({
            "server": change.server,
            "tool": change.tool,
            "change": change.kind.as_str(),
            "differences": (!change.differences.is_empty()).then_some(&change.differences),
        }))
    };
    changes.iter().map(change).collect()
}
