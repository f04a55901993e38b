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
const ALWAYS: &str = "make this call, and always allow the tool: in `.pml.json` if that can be written, \
                      otherwise for this run";

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
        let long = "do not make the call, and go on with a result that you type as JSON";
        keys.push(key("g", "give a result", long, KeyAction::Result));
    }
    if !concerns_run {
        let long = "do not make this call: the program gets an error, which it can catch";
        keys.push(decides("n", "decline", long, Decision::Decline));
    }
    let long =
        "end the run, and report what was completed, so that a better program can be written";
    keys.push(decides("p", "replan: end, for a better program", long, Decision::Replan));
    keys.push(decides("q", "abort", "end the run", Decision::Abort));
    let long = "show all details with their secrets, after a warning";
    keys.push(key("r", "reveal", long, KeyAction::Reveal));
    keys
}

/// Returns the texts of the key `y`, for the prompt and for the help.
fn yes_texts(ask: &Ask) -> (&'static str, &'static str) {
    match (ask.kind, &ask.need) {
        (_, Some(Need::Install(_))) => {
            ("install and call", "install exactly this package, and make this call")
        }
        (_, Some(Need::Variables(_))) | (AskKind::ApiKeyRequired, _) => {
            ("it is set, go on", "the variables are set now: read them, and make this call")
        }
        (_, Some(Need::Trust(_))) | (AskKind::Trust, _) => {
            ("trust and call", "trust the files of the folder as they are now, and make this call")
        }
        (_, Some(Need::Change(_))) => {
            ("accept and call", "accept the tool as it is now, and make this call")
        }
        (AskKind::UncertainCall, _) if ask.call.is_none() => {
            ("leave it out", "go on without this call; what it did is not undone")
        }
        (AskKind::UncertainCall, _) => {
            ("make it again", "make the call again, although it may have been made already")
        }
        _ => ("approve", "make this call"),
    }
}
