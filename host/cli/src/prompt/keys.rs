//! The keys that answer an ask, and the action of each.

use pml::{
    Ask, Decision,
    approval::{AskKind, Need},
};

/// A key with its texts and its action.
pub(super) struct PromptKey {
    pub(super) key: &'static str,
    /// The text in the prompt.
    pub(super) short: &'static str,
    /// The text in the help.
    pub(super) long: &'static str,
    pub(super) action: KeyAction,
}

/// The action of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyAction {
    /// Makes this decision.
    Decide(Decision),
    /// Decides permanently; conditions may be chosen next.
    Always,
    /// Asks for a result, which is typed next.
    Result,
    /// Shows all details, secrets included.
    Reveal,
}

/// Help for `always`: it is saved permanently if possible, otherwise it holds for the run.
const ALWAYS: &str = "the same, and do not ask for this tool again: for good, in `.pml.json`, where that \
                      can be written; else in this run";

/// Returns the keys of an ask, in the order in which they are shown.
pub(super) fn keys(ask: &Ask) -> Vec<PromptKey> {
    let key = |key, short, long, action| PromptKey { key, short, long, action };
    let decides =
        |letter, short, long, decision| key(letter, short, long, KeyAction::Decide(decision));
    let (short, long) = yes_texts(ask);
    let mut keys = vec![decides("y", short, long, Decision::Approve)];
    if ask.kind.may_be_always() {
        keys.push(key("a", "always", ALWAYS, KeyAction::Always));
    }
    let concerns_run = ask.kind == AskKind::UncertainCall && ask.call.is_none();
    if ask.kind == AskKind::UncertainCall && !concerns_run {
        let long = "make no call, and go on with a result that you type as JSON on the next line";
        keys.push(key("g", "give a result", long, KeyAction::Result));
    }
    if !concerns_run {
        let long = "do not make it: the program gets an error, which it may handle";
        keys.push(decides("n", "decline", long, Decision::Decline));
    }
    let long = "end the run, and tell what was completed, so that a better program can be written";
    keys.push(decides("p", "replan", long, Decision::Replan));
    keys.push(decides("q", "abort", "abort the run", Decision::Abort));
    let long = "show all there is to know, secrets included, after a warning";
    keys.push(key("r", "reveal", long, KeyAction::Reveal));
    keys
}

/// Returns the texts of the key `y`, for the prompt and for the help.
fn yes_texts(ask: &Ask) -> (&'static str, &'static str) {
    match (ask.kind, &ask.need) {
        (_, Some(Need::Install(_))) => {
            ("install and call", "install exactly this package, and make this call")
        }
        (_, Some(Need::Variables(_))) | (AskKind::ApiKeyRequired, _) => (
            "it is set now, go on",
            "the variables are set now: read them again, and make this call",
        ),
        (_, Some(Need::Trust(_))) | (AskKind::Trust, _) => {
            ("trust and call", "trust the folder's files as they are now, and make this call")
        }
        (_, Some(Need::Change(_))) => {
            ("accept and call", "take the tool for what it is now, and make this call")
        }
        (AskKind::UncertainCall, _) if ask.call.is_none() => {
            ("go on without it", "go on; what that call did stays done")
        }
        (AskKind::UncertainCall, _) => {
            ("make it again", "make the call again: it may then have been made twice")
        }
        _ => ("approve", "make this call"),
    }
}
