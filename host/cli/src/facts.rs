//! Facts from files that others wrote, shown to a person who decides about them: a label, a bar,
//! and the text.
//!
//! **Invariant:** a fact that matters for a decision is shown completely. Text that is too long for
//! a line continues on the next line behind a bar; only long runs of blanks are replaced by their
//! count. No line begins with text from others, so none can be mistaken for a line of pml.

use super::ui::{DIM, WARNING};
use super::wrap::wrap;
use anstyle::Style;
use pml::json::Value;
use pml::{
    project::steers_loading,
    text::{in_one_line, redacted_setting},
};
use unicode_width::UnicodeWidthStr;

/// Longest name that is used as a label.
const MAX_LABEL: usize = 48;

/// Marks a variable that can make a harmless program load another one.
const STEERS_LOADING: &str = "DECIDES WHAT IS LOADED";

/// A text that others wrote, with a label that says what it is.
pub(super) struct LabelledFact {
    label: String,
    style: Style,
    text: String,
}

impl LabelledFact {
    /// Returns a fact labelled with a name that others chose. A name with characters that could
    /// mislead is shown behind the bar, and `what` becomes the label.
    pub(super) fn named(what: &str, name: &str, style: Style, text: &str) -> LabelledFact {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let (indent, name_alone) = name.split_at(name.len() - name.trim_start().len());
        match (1..=MAX_LABEL).contains(&name_alone.len()) && name_alone.chars().all(plain) {
            true => LabelledFact { label: name.into(), style, text: text.into() },
            false => {
                let text = format!("{}: {text}", Value::from(name_alone));
                LabelledFact { label: format!("{indent}{what}"), style, text }
            }
        }
    }

    /// Appends a text of pml to the label.
    pub(super) fn with_label_suffix(mut self, more: &str) -> LabelledFact {
        self.label += &format!("  {more}");
        self
    }

    /// Returns a fact labelled by pml.
    pub(super) fn with_own_label(label: &str, style: Style, text: &str) -> LabelledFact {
        LabelledFact { label: label.into(), style, text: text.into() }
    }

    /// Returns the fact that a server gets this variable or header. Keys are hidden in its value.
    pub(super) fn variable(name: &str, value: &str) -> LabelledFact {
        LabelledFact::redacted_variable(name, &redacted_setting(name, value))
    }

    /// Returns the same fact for a value in which keys are already hidden.
    pub(super) fn redacted_variable(name: &str, shown: &str) -> LabelledFact {
        let name_shown = format!("  {name}");
        match steers_loading(name) {
            true => LabelledFact::named("given", &name_shown, WARNING, shown)
                .with_label_suffix(STEERS_LOADING),
            false => LabelledFact::named("given", &name_shown, DIM, shown),
        }
    }
}

/// Returns facts as lines, with their bars aligned. Nothing is cut.
pub(super) fn lay_out(facts: &[LabelledFact], width: Option<usize>) -> Vec<String> {
    let widest = facts.iter().map(|fact| fact.label.width()).max().unwrap_or(0);
    let line = |LabelledFact { label, style, text }: &LabelledFact| {
        let pad = widest - label.width();
        let plain = format!("     {label}{:pad$}  │ {}", "", in_one_line(text));
        let plain = width.map_or(plain.clone(), |width| wrap(&plain, width));
        // Colours are added after wrapping, because they take no columns.
        plain.replacen(label.as_str(), &format!("{style}{label}{style:#}"), 1)
    };
    facts.iter().map(line).collect()
}
