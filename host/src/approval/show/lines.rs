//! The first lines of an ask.

use super::parts::{describe_change, describe_package, describe_packages, describe_variables};
use crate::model::{
    Ask, AskKind, ChangeBaseline, Need, Redactor, TrustNeed, brief_arguments, fold_middle,
    in_one_line,
};
use unicode_width::UnicodeWidthStr;

/// Characters of one line: more than anybody reads before deciding. The details have the full text.
const WIDTH: usize = 200;

/// Characters of the arguments: room for several long ones, each with its beginning and its end.
const ARGUMENTS: usize = 400;

/// Characters of a tool's name that shares its line with the arguments.
const TOOL: usize = 60;

/// Lines that list the effects of trusting a folder. A person scrolls more easily than they look for
/// what is left out.
const WOULD: usize = 64;

/// Separates pml's own text from text that comes from elsewhere.
pub(super) const BAR: &str = " │ ";

/// Returns the lines that show a person what they decide about: the tool, the action and its
/// arguments, the reason for the ask or the step that must come first, and the digest of the ask.
/// All text behind the first `│` of a line comes from elsewhere. Every argument is named: a value
/// that is too long is folded in its middle, and arguments that do not fit at all are counted.
///
/// ```
/// use pml::{Ask, approval::AskKind, json::json};
///
/// let arguments = json!({ "to": "Ann", "amount": 5, "token": "t0p" });
/// let ask = Ask::new(AskKind::ToolPermission, None, "bank:pay", arguments, "`bank:*` asks");
/// assert_eq!(pml::approval::lines_of_ask(&ask), [
///     "tool      │ bank:pay",
///     r#"call with │ {"to":"Ann","amount":5,"token":"[hidden: 3 characters]"}"#,
///     "why       │ `bank:*` asks",
///     &format!("digest    │ {}", ask.short_digest()),
/// ]);
/// ```
pub fn lines_of_ask(ask: &Ask) -> Vec<String> {
    lines_of_ask_with(ask, &Redactor::new())
}

/// Does the same as [`lines_of_ask`], with secrets hidden by `redactor`.
pub fn lines_of_ask_with(ask: &Ask, redactor: &Redactor) -> Vec<String> {
    let text = |text: &str| in_one_line(&redactor.redact_text(text));
    let call = || brief_arguments(&ask.arguments, ARGUMENTS, redactor);
    let tool = ("tool", in_one_line(&ask.tool));
    let mut labelled = match (&ask.need, ask.kind) {
        (Some(Need::Install(needed)), _) => {
            let changed = needed.changed || !needed.replaces.is_empty();
            let label = match (changed, needed.scripts) {
                (true, _) => "install CHANGED",
                (false, true) => "install, RUNNING CODE of it",
                (false, false) => "install",
            };
            let mut lines = vec![tool, (label, describe_package(needed))];
            let package = needed.replaces.iter().find(|difference| difference.part == "package");
            if let Some(before) = package.and_then(|difference| difference.before.as_deref()) {
                lines.push(("instead of", in_one_line(before)));
            } else if !needed.replaces.is_empty() {
                let parts = needed.replaces.iter().map(|difference| difference.part.as_str());
                lines.push(("differs in", in_one_line(&parts.collect::<Vec<_>>().join(", "))));
            }
            if !needed.beside.is_empty() {
                lines.push(("together with", describe_packages(&needed.beside, WIDTH)));
            }
            let other = needed.starts_other().into_iter();
            lines.extend(other.map(|other| ("START the program of", in_one_line(other))));
            lines.push(("then call with", call()));
            lines
        }
        (Some(Need::Variables(needed)), _) => {
            vec![tool, ("set first", describe_variables(needed)), ("then call with", call())]
        }
        (Some(Need::Trust(needed)), _) => {
            let then = fold_middle(&in_one_line(&ask.tool), TOOL);
            let mut lines = vec![("trust folder", in_one_line(&needed.folder))];
            lines.extend(trust_effects(needed, &ask.tool));
            lines.push(("then call", format!("{then} {}", call())));
            lines
        }
        (Some(Need::Change(change)), _) => {
            let label = match change.since {
                ChangeBaseline::Grant => "CHANGED since allowed",
                ChangeBaseline::EarlierCall => "CHANGED since last call",
                ChangeBaseline::Decision => "CHANGED since shown",
                ChangeBaseline::Lock => "DIFFERS from the lock",
                ChangeBaseline::Approval => "CHANGED since approved",
            };
            vec![tool, (label, describe_change(change, redactor)), ("call with", call())]
        }
        (None, AskKind::UncertainCall) if ask.call.is_none() => {
            vec![tool, ("was called with", call()), ("leave it out", text(&ask.reason))]
        }
        (None, AskKind::UncertainCall) => {
            vec![tool, ("call AGAIN with", call()), ("outcome unknown", text(&ask.reason))]
        }
        (None, _) => vec![tool, ("call with", call()), ("why", text(&ask.reason))],
    };
    labelled.push(("digest", ask.short_digest()));
    let width = labelled.iter().map(|(label, _)| label.width()).max().unwrap_or(0);
    let line = |(label, text): &(&str, String)| {
        let limit = if label.contains("call") { ARGUMENTS + TOOL + 1 } else { WIDTH };
        let pad = width - label.width();
        format!("{label}{:pad$}{BAR}{}", "", fold_middle(text, limit))
    };
    labelled.iter().map(line).collect()
}

/// Lists the effects of trusting a folder, one per line: first what is said of the server that is
/// called. If there are too many lines, those in the middle are replaced by their count.
fn trust_effects(need: &TrustNeed, tool: &str) -> Vec<(&'static str, String)> {
    const LABEL: &str = "its files say";
    if need.would.is_empty() {
        return vec![(LABEL, "nothing that starts a program or allows a call".into())];
    }
    let called = format!("server {}: ", tool.split(':').next().unwrap_or_default());
    let mut lines: Vec<String> = need.would.iter().map(|line| in_one_line(line)).collect();
    lines.sort_by_key(|line| !line.starts_with(&called));
    if let Some(left_out) = lines.len().checked_sub(WOULD).filter(|over| *over > 0) {
        let (start, end) = (WOULD - WOULD / 2, lines.len() - WOULD / 2);
        lines.splice(start..end, [format!("[… {left_out} more lines, shown in the details …]")]);
    }
    let labels = std::iter::once(LABEL).chain(std::iter::repeat(""));
    labels.zip(lines).collect()
}
