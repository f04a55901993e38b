//! The choices that a person has for an ask.

use pml::{
    Ask,
    approval::{AskKind, Constraint, describe_constraints, suggest_constraints},
    text::fold_middle,
};

/// Maximum number of characters of a choice's title. No offer is longer: its conditions are never
/// cut off.
const MAX_WIDTH: usize = 700;

/// One choice for an ask.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AskChoice {
    /// Send the call.
    Approve,
    /// Send it, and do not ask again.
    Always,
    /// Send it, and do not ask again under these conditions. The number of the offer counts from 0.
    AlwaysWithin(usize, Vec<Constraint>),
    /// Do not send it: the program gets an error.
    Decline,
}

/// Returns the choices for an ask, in the order in which they are offered.
pub(super) fn offers(ask: &Ask) -> Vec<AskChoice> {
    let mut offers = vec![AskChoice::Approve];
    if ask.kind.may_be_always() {
        offers.push(AskChoice::Always);
        let within = suggest_constraints(ask).into_iter().enumerate();
        offers.extend(within.map(|(index, within)| AskChoice::AlwaysWithin(index, within)));
    }
    offers.push(AskChoice::Decline);
    offers
}

impl AskChoice {
    /// Returns the keyword of the choice.
    pub(super) fn keyword(&self) -> String {
        match self {
            AskChoice::Approve => "approve".into(),
            AskChoice::Always => "always".into(),
            AskChoice::AlwaysWithin(index, _) => format!("always_{}", index + 1),
            AskChoice::Decline => "decline".into(),
        }
    }

    /// Returns the title that a person reads.
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
            AskChoice::Approve => first.into(),
            AskChoice::Always => "Yes, and do not ask for this tool again".into(),
            AskChoice::AlwaysWithin(_, within) => {
                let within = describe_constraints(within);
                fold_middle(&format!("Yes, and do not ask again with {within}"), MAX_WIDTH)
            }
            AskChoice::Decline if ask.call.is_none() => "No: end the program".into(),
            AskChoice::Decline => "No: the program is told so and goes on".into(),
        }
    }
}
