//! The keys that answer an ask, and what each does.

use pml::{
    Ask, Decision,
    approval::{AskKind, Need},
};

/// A key.
pub(super) struct PromptKey {
    pub(super) key: &'static str,
    /// As it stands in the prompt.
    pub(super) short: &'static str,
    /// As help explains it.
    pub(super) long: &'static str,
    pub(super) does: KeyAction,
}

/// What a key does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyAction {
    /// It decides.
    Decide(Decision),
    /// It decides for good, perhaps under conditions that are chosen next.
    Always,
    /// A result is typed next.
    Result,
    /// It shows all there is to know, secrets included.
    Reveal,
}

/// What `always` does: it reaches as far as it can be kept.
const ALWAYS: &str = "the same, and do not ask for this tool again: for good, in `.pml.json`, where that \
                      can be written; else in this run";

/// Returns the keys of an ask, in the order in which they are shown.
pub(super) fn keys(ask: &Ask) -> Vec<PromptKey> {
    let key = |key, short, long, does| PromptKey { key, short, long, does };
    let decides =
        |letter, short, long, decision| key(letter, short, long, KeyAction::Decide(decision));
    let (short, long) = yes(ask);
    let mut keys = vec![decides("y", short, long, Decision::Approve)];
    if ask.kind.may_be_always() {
        keys.push(key("a", "always", ALWAYS, KeyAction::Always));
    }
    let of_the_run = ask.kind == AskKind::UncertainCall && ask.call.is_none();
    if ask.kind == AskKind::UncertainCall && !of_the_run {
        let long = "make no call, and go on with a result that you type as JSON on the next line";
        keys.push(key("g", "give a result", long, KeyAction::Result));
    }
    if !of_the_run {
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

/// What a yes means.
fn yes(ask: &Ask) -> (&'static str, &'static str) {
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
