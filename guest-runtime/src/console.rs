//! Console lines on their way to the host.
//!
//! Lines wait here for the end of the step. A step that runs for long hands them over earlier through `print`, because
//! it may be stopped by a limit and never return. Once the run's budget is spent, lines are counted and dropped.

use crate::bindings::exports::pml::sandbox::program::Line;
use crate::bindings::pml::sandbox::mcp_call::{self, Level};
use crate::config::CONSOLE_BATCH;
use std::cell::RefCell;

/// The last line of a console that is full.
const FULL: &str = "… the console is full: what follows is dropped";

/// What a line costs beside its text, so that a million empty ones are bounded too.
const LINE_COST: usize = 16;

struct Console {
    lines: Vec<Line>,
    waiting: usize,
    budget: usize,
    dropped: u32,
}

thread_local! {
    static CONSOLE: RefCell<Console> =
        const { RefCell::new(Console { lines: Vec::new(), waiting: 0, budget: 0, dropped: 0 }) };
}

/// Gives the run its budget in bytes.
pub(crate) fn allow(bytes: usize) {
    CONSOLE.with_borrow_mut(|console| console.budget = bytes);
}

/// Takes a line, or counts it as dropped. A line that only partly fits is cut, and is the last one.
pub(crate) fn print(level: Level, mut text: String) {
    CONSOLE.with_borrow_mut(|console| {
        if console.budget == 0 {
            console.dropped = console.dropped.saturating_add(1);
            return;
        }
        let cost = text.len() + LINE_COST;
        if cost > console.budget {
            text.truncate(text.floor_char_boundary(console.budget.saturating_sub(LINE_COST)));
            text.push('…');
        }
        console.budget = console.budget.saturating_sub(cost);
        console.waiting += cost;
        console.lines.push(Line { level, text });
        if console.budget == 0 {
            console.lines.push(Line { level: Level::Warn, text: FULL.into() });
        }
    });
    if CONSOLE.with_borrow(|console| console.waiting >= CONSOLE_BATCH) {
        hand_over();
    }
}

/// Hands all waiting lines to the host now.
pub(crate) fn hand_over() {
    for line in take() {
        mcp_call::print(line.level, &line.text);
    }
}

/// Takes the lines for the step that ends.
pub(crate) fn take() -> Vec<Line> {
    CONSOLE.with_borrow_mut(|console| {
        console.waiting = 0;
        std::mem::take(&mut console.lines)
    })
}

/// Lines dropped so far.
pub(crate) fn dropped() -> u32 {
    CONSOLE.with_borrow(|console| console.dropped)
}
