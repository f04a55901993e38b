//! What others declare, as a person is shown it who decides about it: a label, a bar, and the text.
//!
//! **Invariant:** what decides is shown whole: nothing is cut, what is too long for a line goes on
//! behind a bar, and only long rows of blanks are counted. No text of others begins a line, so that
//! none can pass for ours.

use super::ui::{DIM, WARNING};
use super::wrap::wrap;
use anstyle::Style;
use pml::json::Value;
use pml::{
    project::steers_loading,
    text::{in_one_line, redacted_setting},
};
use unicode_width::UnicodeWidthStr;

/// Longest name that stands before the bar.
const LABEL: usize = 48;

/// Said of a variable that can make a harmless program load another.
const STEERS: &str = "DECIDES WHAT IS LOADED";

/// Something that others wrote, and what it is.
pub(super) struct LabelledFact {
    label: String,
    style: Style,
    text: String,
}

impl LabelledFact {
    /// A fact about a thing that others named. A name that could be taken for more than a name
    /// stands with the text.
    pub(super) fn named(what: &str, name: &str, style: Style, text: &str) -> LabelledFact {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let (indent, name_alone) = name.split_at(name.len() - name.trim_start().len());
        match (1..=LABEL).contains(&name_alone.len()) && name_alone.chars().all(plain) {
            true => LabelledFact { label: name.into(), style, text: text.into() },
            false => {
                let text = format!("{}: {text}", Value::from(name_alone));
                LabelledFact { label: format!("{indent}{what}"), style, text }
            }
        }
    }

    /// The same, with more of ours on its label.
    pub(super) fn and(mut self, more: &str) -> LabelledFact {
        self.label += &format!("  {more}");
        self
    }

    /// A fact with a label of ours.
    pub(super) fn ours(label: &str, style: Style, text: &str) -> LabelledFact {
        LabelledFact { label: label.into(), style, text: text.into() }
    }

    /// A variable or header that a server is given, as written. Keys are left out.
    pub(super) fn given(name: &str, value: &str) -> LabelledFact {
        LabelledFact::given_shown(name, &redacted_setting(name, value))
    }

    /// The same, with keys left out already.
    pub(super) fn given_shown(name: &str, shown: &str) -> LabelledFact {
        let name_shown = format!("  {name}");
        match steers_loading(name) {
            true => LabelledFact::named("given", &name_shown, WARNING, shown).and(STEERS),
            false => LabelledFact::named("given", &name_shown, DIM, shown),
        }
    }
}

/// Returns facts as lines, their bars under each other. Nothing is cut.
pub(super) fn laid_out(facts: &[LabelledFact], width: Option<usize>) -> Vec<String> {
    let widest = facts.iter().map(|fact| fact.label.width()).max().unwrap_or(0);
    let line = |LabelledFact { label, style, text }: &LabelledFact| {
        let pad = widest - label.width();
        let plain = format!("     {label}{:pad$}  │ {}", "", whole_line(text));
        let plain = width.map_or(plain.clone(), |width| wrap(&plain, width));
        // Only now: colours have no width.
        plain.replacen(label.as_str(), &format!("{style}{label}{style:#}"), 1)
    };
    facts.iter().map(line).collect()
}

/// A text in one line, and all of it: it cannot pass for a line of ours.
pub(super) fn whole_line(text: &str) -> String {
    in_one_line(text)
}
