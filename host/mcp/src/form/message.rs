//! The message text of a dialog.
//!
//! Input: asks. Output: text. The first lines say what is decided: some clients show only these
//! before a person scrolls. Details that these lines omit follow.
//!
//! **Invariant:** the number of lines is bounded. Text that does not fit is folded in its middle:
//! the message says how much is omitted, shows the end, and names the digest and the command with
//! which all of it is found.
//! **Invariant:** pml's own text stands before a bar, or has none; text from others stands behind
//! one.

use super::question_form::MAX_WIDTH;
use pml::{
    Ask,
    approval::{AskKind, details_of_ask_with, lines_of_ask_with},
    text::{Redactor, fold_middle, in_one_line},
};
use std::collections::BTreeSet;

/// Maximum number of lines of details, for all asks together.
const MAX_LINES: usize = 60;

/// Maximum number of bytes of details.
const MAX_BYTES: usize = 8 << 10;

/// Returns the message for these asks of a question that has `all` asks in total. Clients show its
/// first three lines at first.
pub(super) fn message(asks: &[Ask], all: usize, redactor: &Redactor) -> String {
    let mut lines = match asks {
        [ask] => lines_of_ask_with(ask, redactor),
        asks => overview(asks, all, redactor),
    };
    let more: Vec<&Ask> = asks.iter().filter(|ask| has_more(ask, redactor)).collect();
    let (mut lines_left, mut bytes_left) = (MAX_LINES, MAX_BYTES);
    for (index, ask) in more.iter().enumerate() {
        lines.push(String::new());
        if asks.len() > 1 {
            lines.push(format!("more about ask {}", ask.id));
        }
        // Each ask gets an equal share of the remaining space.
        let share = more.len() - index;
        let details = details(ask, redactor, lines_left / share, bytes_left / share);
        lines_left = lines_left.saturating_sub(details.len());
        bytes_left = bytes_left.saturating_sub(details.iter().map(|line| line.len() + 1).sum());
        lines.extend(details);
    }
    lines.join("\n")
}

/// Summarises several asks, then lists each of them.
fn overview(asks: &[Ask], all: usize, redactor: &Redactor) -> Vec<String> {
    let mut tools: Vec<(String, usize)> = Vec::new();
    for ask in asks {
        let tool = in_one_line(&ask.tool);
        match tools.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, count)) => *count += 1,
            None => tools.push((tool, 1)),
        }
    }
    let tools = tools.iter().map(|(tool, count)| match count {
        1 => tool.clone(),
        many => format!("{tool} ×{many}"),
    });
    let reason = |ask: &Ask| in_one_line(&redactor.redact_text(&ask.reason));
    let reasons: BTreeSet<_> = asks.iter().map(reason).collect();
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
        fold_middle(&format!("tools     │ {}", tools.collect::<Vec<_>>().join(", ")), MAX_WIDTH),
        fold_middle(&format!("why       │ {reasons}"), MAX_WIDTH),
    ];
    for ask in asks {
        lines.push(format!("ask {}", ask.id));
        lines.extend(lines_of_ask_with(ask, redactor));
    }
    lines
}

/// Reports whether the first lines of an ask omit something.
fn has_more(ask: &Ask, redactor: &Redactor) -> bool {
    let always = matches!(ask.kind, AskKind::Dependency | AskKind::Integrity | AskKind::Trust);
    // Folded text contains `…` in its middle, and an omission is counted as ` more`. If others
    // write the same, details are shown needlessly, and no harm is done.
    let folded = |line: &String| line.contains('…') || line.contains(" more");
    always || lines_of_ask_with(ask, redactor).iter().any(folded)
}

/// Returns the details of an ask, in at most so many lines and bytes: the first and the last ones.
fn details(ask: &Ask, redactor: &Redactor, max_lines: usize, max_bytes: usize) -> Vec<String> {
    let mut all: Vec<String> =
        details_of_ask_with(ask, redactor).iter().flat_map(|line| wrapped(line)).collect();
    let whole: usize = all.iter().map(|line| line.len() + 1).sum();
    if all.len() <= max_lines && whole <= max_bytes {
        return all;
    }
    let folded = |count: usize| {
        let digest = ask.short_digest();
        format!("[… {count} lines: `pml approvals --verbose` shows all of digest {digest} …]")
    };
    let room = max_bytes.saturating_sub(folded(all.len()).len() + 1);
    let fits = |lines: &mut dyn Iterator<Item = &String>| {
        let mut size = 0;
        let small = |line: &&String| {
            size += line.len() + 1;
            size <= room / 2
        };
        lines.take(max_lines.saturating_sub(1) / 2).take_while(small).count()
    };
    let (head, tail) = (fits(&mut all.iter()), fits(&mut all.iter().rev()));
    let (left_out, end) = (all.len() - head - tail, all.len() - tail);
    all.splice(head..end, [folded(left_out)]);
    all
}

/// Wraps a line. Continuation lines begin with the bar, because they are text from others as well.
fn wrapped(line: &str) -> Vec<String> {
    let mut rest: Vec<char> = line.chars().collect();
    let mut lines = Vec::new();
    while rest.len() > MAX_WIDTH {
        let after = rest.split_off(MAX_WIDTH);
        lines.push(rest.iter().collect());
        rest = "│ ".chars().chain(after).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}
