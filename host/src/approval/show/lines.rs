//! The three lines.

use super::parts::{Labelled, differs, one_line, variables, words_of_package, would};
use crate::model::{Ask, AskKind, Need, Since, cut};

/// More than anybody reads before deciding; whoever wants all of it asks for the details.
pub(super) const WIDTH: usize = 200;

/// Characters of a tool that shares its line with its arguments.
const TOOL: usize = 60;

/// Returns the three lines that tell a person what is decided: the tool, what would be done with which arguments, and why
/// it is asked or what has to be done first. Each has one line and at most 200 characters; everything behind its first `│` came
/// from elsewhere. Every argument is named: values that are too long are shortened, and what does not fit at all is counted.
///
/// ```
/// use pml::{Ask, AskKind, json::json};
///
/// let arguments = json!({ "to": "Ann", "amount": 5, "token": "t0p" });
/// let ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", arguments, "`bank:*` asks");
/// assert_eq!(pml::lines_of_ask(&ask), [
///     "tool      │ bank:pay",
///     r#"call with │ {"to":"Ann","amount":5,"token":"[redacted]"}"#,
///     "why       │ `bank:*` asks",
/// ]);
/// ```
pub fn lines_of_ask(ask: &Ask) -> [String; 3] {
    let text = |text: &str| Part::Text(text.into());
    let tool = text(&ask.tool);
    let labelled = match (&ask.need, ask.kind) {
        (Some(Need::Install(needed)), _) => {
            let label = match (needed.changed, needed.scripts) {
                (true, _) => "install CHANGED",
                (false, true) => "install, RUNNING CODE of it",
                (false, false) => "install",
            };
            let package = Part::Text(words_of_package(needed));
            [("tool", tool), (label, package), ("then call with", Part::Arguments)]
        }
        (Some(Need::Variables(needed)), _) => {
            let variables = Part::Text(variables(needed));
            [("tool", tool), ("first set", variables), ("then call with", Part::Arguments)]
        }
        (Some(Need::Trust(needed)), _) => [
            ("trust folder", text(&needed.folder)),
            ("which would", Part::Text(would(needed))),
            ("then call", Part::Call),
        ],
        (Some(Need::Change(change)), _) => {
            let label = match change.since {
                Since::Grant => "CHANGED since allowed",
                Since::EarlierCall => "CHANGED since last call",
                Since::Decision => "CHANGED since shown",
            };
            let differs = Part::Text(differs(change));
            [("tool", tool), (label, differs), ("call with", Part::Arguments)]
        }
        (None, AskKind::UncertainCall) if ask.call.is_none() => [
            ("tool", tool),
            ("was called with", Part::Arguments),
            ("go on without it", text(&ask.reason)),
        ],
        (None, AskKind::UncertainCall) => [
            ("tool", tool),
            ("call AGAIN with", Part::Arguments),
            ("outcome unknown", text(&ask.reason)),
        ],
        (None, _) => [("tool", tool), ("call with", Part::Arguments), ("why", text(&ask.reason))],
    };
    let width = labelled.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    labelled.map(|(label, part)| match part {
        Part::Text(text) => Labelled { label, text: &text }.line(width, WIDTH),
        Part::Arguments => Labelled { label, text: "" }.call(width, WIDTH, &ask.arguments),
        Part::Call => {
            let tool = format!("{} ", cut(&one_line(&ask.tool), TOOL));
            Labelled { label, text: &tool }.call(width, WIDTH, &ask.arguments)
        }
    })
}

/// What stands behind a bar.
enum Part {
    Text(String),
    /// The arguments, every one of them named.
    Arguments,
    /// The same behind the tool.
    Call,
}
