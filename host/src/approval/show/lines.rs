//! The three lines.

use super::parts::{Labelled, differs, package, variables, would};
use crate::model::{Ask, AskKind, Need, Since, brief};

/// More than anybody reads before deciding; whoever wants all of it asks for the details.
pub(super) const WIDTH: usize = 200;

/// Returns the three lines that tell a person what is decided: the tool, what would be done with which arguments, and why
/// it is asked or what has to be done first. Each has one line and at most 200 characters; everything behind its first `│` came
/// from elsewhere.
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
    let (tool, arguments) = (ask.tool.as_str(), brief(&ask.arguments, WIDTH));
    let labelled = match (&ask.need, ask.kind) {
        (Some(Need::Install(needed)), _) => {
            let label = if needed.changed { "install CHANGED" } else { "install" };
            let package = package(needed);
            [("tool", tool.into()), (label, package), ("then call with", arguments)]
        }
        (Some(Need::Variables(needed)), _) => {
            let variables = variables(needed);
            [("tool", tool.into()), ("first set", variables), ("then call with", arguments)]
        }
        (Some(Need::Trust(needed)), _) => {
            let call = format!("{tool} {arguments}");
            [
                ("trust folder", needed.folder.clone()),
                ("which would", would(needed)),
                ("then call", call),
            ]
        }
        (Some(Need::Change(change)), _) => {
            let label = match change.since {
                Since::Grant => "CHANGED since allowed",
                Since::EarlierCall => "CHANGED since last call",
                Since::Decision => "CHANGED since shown",
            };
            [("tool", tool.into()), (label, differs(change)), ("call with", arguments)]
        }
        (None, AskKind::UncertainCall) if ask.call.is_none() => {
            let reason = ask.reason.clone();
            [("tool", tool.into()), ("was called with", arguments), ("go on without it", reason)]
        }
        (None, AskKind::UncertainCall) => {
            let reason = ask.reason.clone();
            [("tool", tool.into()), ("call AGAIN with", arguments), ("outcome unknown", reason)]
        }
        (None, _) => [("tool", tool.into()), ("call with", arguments), ("why", ask.reason.clone())],
    };
    let width = labelled.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    labelled.map(|(label, text)| Labelled { label, text: &text }.line(width, WIDTH))
}
