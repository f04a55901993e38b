//! What can be said to an ask, beside yes and no.

use crate::{Ask, AskKind, Condition, Constraint, brief, cut, escape};

/// Characters of a choice that a person reads.
const WIDTH: usize = 100;

/// One thing that can be said to an ask.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Offer {
    /// Make the call.
    Approve,
    /// Make it, and do not ask again.
    Always,
    /// The same for arguments like these; counted from 0.
    AlwaysWithin(usize, Vec<Constraint>),
    /// Do not make it: the program is told.
    Decline,
}

/// Returns what can be said to an ask, in the order in which it is offered.
pub(super) fn offers(ask: &Ask) -> Vec<Offer> {
    let mut offers = vec![Offer::Approve];
    if may_be_always(ask.kind) {
        offers.push(Offer::Always);
        let within = constraints(ask).into_iter().enumerate();
        offers.extend(within.map(|(index, within)| Offer::AlwaysWithin(index, within)));
    }
    offers.push(Offer::Decline);
    offers
}

/// Returns the conditions under which a call like this may be allowed for good, the narrowest first.
pub(super) fn constraints(_: &Ask) -> Vec<Vec<Constraint>> {
    // Where conditions are drawn from the arguments of a call, they are offered from here.
    Vec::new()
}

/// Whether an answer can hold for good: a key, a folder's trust or a lost outcome is a matter of this one time.
fn may_be_always(kind: AskKind) -> bool {
    matches!(kind, AskKind::ToolPermission | AskKind::Dependency | AskKind::Integrity)
}

impl Offer {
    /// Returns the word that stands for it.
    pub(super) fn word(&self) -> String {
        match self {
            Offer::Approve => "approve".into(),
            Offer::Always => "always".into(),
            Offer::AlwaysWithin(index, _) => format!("always_{}", index + 1),
            Offer::Decline => "decline".into(),
        }
    }

    /// Returns what a person reads.
    pub(super) fn title(&self, ask: &Ask) -> String {
        let first = match ask.kind {
            AskKind::Dependency => "Install it and make this call",
            AskKind::ApiKeyRequired => "It is in the file now: make this call",
            AskKind::Integrity => "Accept the change and make this call",
            AskKind::Trust => "Trust these files and make this call",
            AskKind::UncertainCall if ask.call.is_none() => "Go on without calling it again",
            AskKind::UncertainCall => "Call it AGAIN",
            _ => "Make this call",
        };
        match self {
            Offer::Approve => first.into(),
            Offer::Always => "Yes, and do not ask for this tool again".into(),
            Offer::AlwaysWithin(_, within) => {
                let within: Vec<_> = within.iter().map(told).collect();
                cut(&format!("Yes, and do not ask again if {}", within.join(" and ")), WIDTH)
            }
            Offer::Decline if ask.call.is_none() => "No: end the program".into(),
            Offer::Decline => "No: the program is told so and goes on".into(),
        }
    }
}

/// A condition in words; what comes from the call is escaped and on one line.
fn told(constraint: &Constraint) -> String {
    let plain = |text: &str| escape(text).replace(['\n', '\t'], " ");
    let name = plain(&constraint.argument);
    match &constraint.is {
        Condition::Under(folder) => format!("`{name}` is under {}", plain(folder)),
        Condition::Host(host) => format!("`{name}` is at {}", plain(host)),
        Condition::Equals(value) => format!("`{name}` is {}", brief(value, WIDTH)),
    }
}
