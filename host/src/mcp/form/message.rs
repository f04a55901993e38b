//! The words of a dialog.
//!
//! In flow asks, out flows text: first the lines that say what is decided, which is all that some clients show before somebody
//! scrolls; then, where these left something out, what they left out.
//!
//! **Invariant:** every line, and how many there are, is bounded, and what is left out is counted.
//! **Invariant:** what is ours stands before a bar, or has none; what others wrote stands behind one.

use super::{WIDTH, one_line};
use crate::{Ask, AskKind, cut, details_of_ask, lines_of_ask};
use std::collections::BTreeSet;

/// Lines of details, of all asks together.
const LINES: usize = 60;

/// Bytes of them.
const BYTES: usize = 8 << 10;

/// Returns the words for these asks of a question that has `all` of them. Clients show three lines of it at first.
pub(super) fn message(asks: &[Ask], all: usize) -> String {
    let mut lines = match asks {
        [ask] => lines_of_ask(ask).to_vec(),
        asks => overview(asks, all),
    };
    let more: Vec<&Ask> = asks.iter().filter(|ask| has_more(ask)).collect();
    let (mut lines_left, mut bytes_left) = (LINES, BYTES);
    for (index, ask) in more.iter().enumerate() {
        lines.push(String::new());
        if asks.len() > 1 {
            lines.push(format!("more about ask {}", ask.id));
        }
        // Each gets its share of what the ones before it left.
        let share = more.len() - index;
        let details = details(ask, lines_left / share, bytes_left / share);
        lines_left = lines_left.saturating_sub(details.len());
        bytes_left = bytes_left.saturating_sub(details.iter().map(|line| line.len() + 1).sum());
        lines.extend(details);
    }
    lines.join("\n")
}

/// What several asks are about, and then each of them.
fn overview(asks: &[Ask], all: usize) -> Vec<String> {
    let mut tools: Vec<(String, usize)> = Vec::new();
    for ask in asks {
        let tool = one_line(&ask.tool);
        match tools.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, count)) => *count += 1,
            None => tools.push((tool, 1)),
        }
    }
    let tools = tools.iter().map(|(tool, count)| match count {
        1 => tool.clone(),
        many => format!("{tool} ×{many}"),
    });
    let reasons: BTreeSet<_> = asks.iter().map(|ask| one_line(&ask.reason)).collect();
    let reasons = reasons.into_iter().collect::<Vec<_>>().join("; ");
    let first = match all.saturating_sub(asks.len()) {
        0 => format!("{all} asks, decided one by one below"),
        rest => format!(
            "{all} asks: the first {} are decided below, {rest} more after them",
            asks.len()
        ),
    };
    let mut lines = vec![
        first,
        cut(&format!("tools     │ {}", tools.collect::<Vec<_>>().join(", ")), WIDTH),
        cut(&format!("why       │ {reasons}"), WIDTH),
    ];
    for ask in asks {
        lines.push(format!("ask {}", ask.id));
        lines.extend(lines_of_ask(ask));
    }
    lines
}

/// Whether the three lines of an ask do not say all there is to know.
fn has_more(ask: &Ask) -> bool {
    let always = matches!(ask.kind, AskKind::Dependency | AskKind::Integrity | AskKind::Trust);
    // What was cut ends so, and what was left out is counted so. Who writes the same gets details shown, no more.
    always || lines_of_ask(ask).iter().any(|line| line.contains('…') || line.contains(" more"))
}

/// The details of an ask, in at most so many lines and bytes.
fn details(ask: &Ask, most_lines: usize, most_bytes: usize) -> Vec<String> {
    let all: Vec<String> = details_of_ask(ask).iter().flat_map(|line| wrapped(line)).collect();
    let whole: usize = all.iter().map(|line| line.len() + 1).sum();
    if all.len() <= most_lines && whole <= most_bytes {
        return all;
    }
    let left_out =
        |count| format!("and {count} more lines: `pml approvals --verbose` shows all of them");
    let room = most_bytes.saturating_sub(left_out(all.len()).len() + 1);
    let mut size = 0;
    let fits = |line: &&String| {
        size += line.len() + 1;
        size <= room
    };
    let mut shown: Vec<String> =
        all.iter().take(most_lines.saturating_sub(1)).take_while(fits).cloned().collect();
    shown.push(left_out(all.len() - shown.len()));
    shown
}

/// A line in as many as it takes. Those that it goes on in begin with the bar: they are words of others as well.
fn wrapped(line: &str) -> Vec<String> {
    let mut rest: Vec<char> = line.chars().collect();
    let mut lines = Vec::new();
    while rest.len() > WIDTH {
        let after = rest.split_off(WIDTH);
        lines.push(rest.iter().collect());
        rest = "│ ".chars().chain(after).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}
