//! Shows the asks that are answered, and asks for a yes.

use super::record::ApproveContext;
use crate::always_choices::choices;
use crate::report::HintedError;
use crate::terminal::{ConfirmDetails, Terminal};
use crate::ui::{self, DIM, WARNING};
use crate::widening_permit::CallingAgent;
use crate::wrap::wrap;
use anyhow::{Context, Result};
use pml::{
    Ask, Code, Decision,
    approval::{AskKind, Need, details_of_ask_with, lines_of_ask_with},
    text::Redactor,
};

/// Width of asks if there is no terminal.
const WIDTH: usize = 100;

/// The answer to a request for a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmation {
    Yes,
    No,
    /// There is no terminal to ask on.
    NobodyToAsk,
}

/// Asks for a yes, and shows details on request.
pub(super) type Confirm<'a> = &'a dyn Fn(&str, &ConfirmDetails) -> Result<Confirmation>;

/// Prints an ask.
pub(super) fn print_ask(ask: &Ask, of: usize, redactor: &Redactor) {
    if of > 1 {
        ui::alert(&format!("{DIM}ask {} of {of}{DIM:#}", ask.id));
    }
    let width = Terminal::open().map_or(WIDTH, |terminal| terminal.width());
    for line in lines_of_ask_with(ask, redactor) {
        ui::alert(&wrap(&line, width));
    }
}

/// Reports whether a person confirms a decision.
pub(super) fn is_confirmed(
    context: &ApproveContext<'_>,
    decision: &Decision,
    asks: &[&Ask],
) -> Result<bool> {
    let shown = details(context, asks, context.redactor);
    // An agent may have written the calls; it must not see secrets.
    let revealed = match context.agent {
        CallingAgent::Absent => details(context, asks, &Redactor::hiding_nothing()),
        _ => Vec::new(),
    };
    let more = ConfirmDetails { details: shown, revealed };
    let what = question(decision, asks);
    let answer = (context.confirm)(&format!("{WARNING}pml approve{WARNING:#}: {what}"), &more)?;
    match answer {
        Confirmation::Yes => Ok(true),
        Confirmation::No => Ok(false),
        // A refusal permits nothing, so it needs no confirmation.
        Confirmation::NobodyToAsk if is_refusal(decision) => Ok(true),
        Confirmation::NobodyToAsk => {
            let hint = "add `--yes` to answer without being asked";
            let error = HintedError::new("there is no terminal to ask on", hint);
            Err(error.with_code(Code::PersonRequired).into())
        }
    }
}

/// Returns all details of some asks, and the conditions under which each can be allowed
/// permanently.
fn details(context: &ApproveContext<'_>, asks: &[&Ask], redactor: &Redactor) -> Vec<String> {
    let mut lines = Vec::new();
    for ask in asks {
        if asks.len() > 1 {
            lines.push(format!("ask {}", ask.id));
        }
        lines.extend(details_of_ask_with(ask, redactor));
        let choices = choices(ask, context.suggester);
        if !choices.is_empty() {
            lines.push("`--always --only-for N` always allows it, with:".into());
            lines.extend(choices);
        }
    }
    lines
}

/// Reports whether a decision permits nothing: it declines, or ends the run.
pub(super) fn is_refusal(decision: &Decision) -> bool {
    decision.ends_run() || *decision == Decision::Decline
}

fn question(decision: &Decision, asks: &[&Ask]) -> &'static str {
    let any = |kind: AskKind| asks.iter().any(|ask| ask.kind == kind);
    let installs = |ask: &&Ask| matches!(ask.need, Some(Need::Install(_)));
    match decision {
        Decision::Approve if any(AskKind::UncertainCall) => {
            "approve, although a call may be made twice?"
        }
        Decision::Approve if asks.iter().any(installs) => "install, and make the call?",
        Decision::Approve if any(AskKind::ApiKeyRequired) => {
            "is it set now, so that the run can go on?"
        }
        Decision::Approve if any(AskKind::Trust) => "trust the folder, and make the call?",
        Decision::Approve if any(AskKind::Integrity) => {
            "accept the tool as it is now, and make the call?"
        }
        Decision::Always => "approve, and always allow it?",
        Decision::AlwaysWithin(_) => "approve, and always allow it under this condition?",
        Decision::Decline => "decline?",
        Decision::Abort => "end the run?",
        Decision::Replan => "end the run, so that a better program can be written?",
        Decision::Result(_) => "go on with this result?",
        _ => "approve?",
    }
}

/// Asks on the terminal of this process, which need not be its stdin.
pub(super) fn confirm_on_terminal(question: &str, more: &ConfirmDetails) -> Result<Confirmation> {
    // Without a terminal on stderr nobody would see the question.
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else { return Ok(Confirmation::NobodyToAsk) };
    let yes = terminal.confirm_with(question, more).context("cannot ask on the terminal")?;
    Ok(if yes { Confirmation::Yes } else { Confirmation::No })
}
