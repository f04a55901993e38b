//! A line on the terminal that shows what a run is doing: calls in flight, or a package that is
//! being installed for a call. It follows the run's events, and is removed when the run ends.
//!
//! **Invariant:** the line is not drawn while a question is open on the terminal.

use super::output::{self, Verbosity};
use super::quantity::counted;
use super::{prompt, ui};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pml::{
    Event,
    event::Progress as Step,
    text::{cut_to_columns, escape},
};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval between redraws of the line.
const TICK: Duration = Duration::from_millis(100);

/// Ticks with work in progress before the line appears: most work ends before anybody could read
/// the line.
const TICKS_BEFORE_SHOWN: u32 = 3;

/// Most columns of a tool's name or a step's text.
const NAME_COLUMNS: usize = 60;

/// The line's templates: a spinner if the amount of work is unknown, a bar if it is known.
const SPINNER: &str = "{spinner:.cyan} {msg} {elapsed:.dim}";
const BAR: &str = "{spinner:.cyan} {msg} [{bar:24.cyan}] {percent}%";

/// The progress line of a run.
pub(super) struct ProgressLine {
    /// True if a line can be drawn.
    on_terminal: bool,
    calls: Mutex<ActiveCalls>,
}

/// Reports whether a line can be drawn: stderr is a terminal, and the user wants to see it.
fn can_draw() -> bool {
    ui::stderr_is_terminal() && output::verbosity() != Verbosity::Quiet
}

/// Returns a progress bar on stderr that is not drawn yet. Returns `None` if it cannot be drawn.
pub(super) fn new_bar() -> Option<ProgressBar> {
    can_draw().then(|| {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.with_style(style(SPINNER))
    })
}

fn style(template: &str) -> ProgressStyle {
    let plain = template.replace(":.cyan", "").replace(":.dim", "").replace(".cyan", "");
    let template = if output::is_colorless() { plain.as_str() } else { template };
    // The templates are constants and valid; an invalid one would give the default style.
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_spinner()).progress_chars("=> ")
}

#[derive(Default)]
struct ActiveCalls {
    done: u64,
    in_flight: BTreeMap<u64, String>,
    /// The step of each call that waits for something, such as an installation.
    steps: BTreeMap<u64, Step>,
    /// Ticks since there has been work in progress.
    ticks: u32,
    /// The line that is on the screen, if there is one. A line that was removed is never drawn
    /// again; the next one is new.
    shown: Option<ProgressBar>,
}

impl ProgressLine {
    /// Returns a progress line, which is drawn only if stderr is a terminal.
    pub(super) fn new() -> ProgressLine {
        ProgressLine { on_terminal: can_draw(), calls: Mutex::default() }
    }

    fn calls(&self) -> MutexGuard<'_, ActiveCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Redraws the line, forever.
    pub(super) async fn animate(&self) -> Infallible {
        loop {
            tokio::time::sleep(TICK).await;
            let mut calls = self.calls();
            calls.ticks =
                if calls.is_idle() || prompt::has_open_question() { 0 } else { calls.ticks + 1 };
            if calls.is_idle() {
                calls.clear();
            }
            if self.on_terminal && calls.ticks >= TICKS_BEFORE_SHOWN {
                calls.shown = calls.shown.take().or_else(new_bar);
                calls.shown.iter().for_each(|bar| calls.draw(bar));
            }
        }
    }

    /// Updates the line for an event.
    pub(super) fn on_event(&self, event: &Event) {
        match event {
            Event::CallStarted { call, tool, .. } => {
                self.say_without_terminal(self.calls().step_ended(call.number(), "done"));
                let name = cut_to_columns(&escape(tool.as_str()), NAME_COLUMNS);
                self.calls().in_flight.insert(call.number(), name);
            }
            Event::Progress { call, progress, .. } => {
                self.say_without_terminal(self.calls().record_step(call.number(), progress));
            }
            Event::CallSettled { call, error, .. } => {
                let how = if error.is_some() { "failed" } else { "done" };
                self.say_without_terminal(self.calls().step_ended(call.number(), how));
                self.calls().call_ended(call.number());
            }
            Event::CallDropped { call, .. } => {
                self.say_without_terminal(self.calls().step_ended(call.number(), "given up"));
                self.calls().call_ended(call.number());
            }
            // The question needs the terminal.
            Event::Asked { question, .. } => {
                for call in question.asks.iter().filter_map(|ask| ask.call) {
                    self.say_without_terminal(self.calls().step_ended(call.number(), "done"));
                }
                self.suspend(|| {});
            }
            Event::Ended { .. } => self.suspend(|| {}),
            _ => {}
        }
    }

    /// Prints a line if there is no terminal on which the progress line would show the same.
    fn say_without_terminal(&self, line: Option<String>) {
        if let Some(line) = line.filter(|_| !self.on_terminal) {
            ui::say(&line);
        }
    }

    /// Removes the line while `write` runs. The line returns with a later tick.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        // The lock is held meanwhile, so that no line is drawn between.
        let mut calls = self.calls();
        calls.ticks = 0;
        calls.clear();
        write()
    }
}

impl ActiveCalls {
    /// Reports whether no call is in flight and no step is in progress.
    fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.steps.is_empty()
    }

    /// Removes the line from the screen.
    fn clear(&mut self) {
        if let Some(bar) = self.shown.take() {
            bar.finish_and_clear();
        }
    }

    fn call_ended(&mut self, call: u64) {
        self.done += u64::from(self.in_flight.remove(&call).is_some());
    }

    /// Records a step's progress. Returns a text to print if the step is new.
    fn record_step(&mut self, call: u64, step: &Step) -> Option<String> {
        let begins = self.steps.insert(call, step.clone()).is_none();
        begins.then(|| step_text(step))
    }

    /// Records that a call's step has ended. Returns a text to print if there was one.
    fn step_ended(&mut self, call: u64, how: &str) -> Option<String> {
        self.steps.remove(&call).map(|step| format!("{}: {how}", step_text(&step)))
    }

    fn draw(&self, bar: &ProgressBar) {
        // Shows the step of the newest call; the others are counted.
        let step = self.steps.values().next_back();
        match step.and_then(|step| step.total.filter(|total| *total > 0).map(|all| (step, all))) {
            Some((step, total)) => {
                bar.set_style(style(BAR));
                bar.set_length(total);
                bar.set_position(step.done.min(total));
            }
            None => bar.set_style(style(SPINNER)),
        }
        bar.set_message(self.message());
        bar.tick();
    }

    fn message(&self) -> String {
        if let Some(step) = self.steps.values().next_back() {
            return match self.steps.len() {
                1 => step_text(step),
                steps => format!("{} and {} more", step_text(step), steps - 1),
            };
        }
        let done = format!("{} done", counted(self.done, "call"));
        match (self.in_flight.values().next_back(), self.in_flight.len()) {
            (None, _) => done,
            (Some(tool), 1) => format!("{done}, calling {tool}"),
            (Some(tool), calls) => format!("{done}, calling {tool} and {} more", calls - 1),
        }
    }
}

/// Returns a step's text in one line.
fn step_text(step: &Step) -> String {
    cut_to_columns(&escape(&step.what).replace(['\n', '\t'], " "), NAME_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::ActiveCalls;
    use indicatif::ProgressBar;
    use pml::event::Progress as Step;

    #[test]
    fn the_line_says_what_is_done_and_what_is_out() {
        let mut calls = ActiveCalls::default();
        assert_eq!(calls.message(), "0 calls done");
        calls.in_flight.insert(1, "a:b".into());
        assert_eq!(calls.message(), "0 calls done, calling a:b");
        calls.in_flight.insert(2, "c:d".into());
        calls.done = 1;
        assert_eq!(calls.message(), "1 call done, calling c:d and 1 more");
    }

    #[test]
    fn what_is_installed_is_said_once_at_its_start_and_once_at_its_end() {
        let mut calls = ActiveCalls::default();
        let step = |done| Step::new("installing x\u{1b}[2J\n1.0", done, Some(10));
        assert_eq!(calls.record_step(1, &step(0)).as_deref(), Some("installing x\\u{1b}[2J 1.0"));
        assert_eq!([calls.record_step(1, &step(5)), calls.record_step(1, &step(10))], [None, None]);
        assert!(!calls.is_idle());
        let ended = calls.step_ended(1, "done");
        assert_eq!(ended.as_deref(), Some("installing x\\u{1b}[2J 1.0: done"));
        assert_eq!(calls.step_ended(1, "done"), None);
        assert!(calls.is_idle());
    }

    #[test]
    fn a_bar_shows_how_far_it_is_where_that_is_known() {
        let bar = ProgressBar::hidden();
        let mut calls = ActiveCalls::default();
        calls.record_step(1, &Step::new("installing x", 5, Some(10)));
        calls.draw(&bar);
        assert_eq!((bar.position(), bar.length()), (5, Some(10)));
        assert_eq!(bar.message(), "installing x");
        // Progress beyond the total fills the bar; a total of zero has no bar.
        calls.record_step(1, &Step::new("installing x", 70, Some(10)));
        calls.draw(&bar);
        assert_eq!(bar.position(), 10);
        calls.record_step(2, &Step::new("installing y", 3, Some(0)));
        calls.draw(&bar);
        assert_eq!((bar.message().as_str(), bar.position()), ("installing y and 1 more", 10));
    }
}
