//! The conditions that a call suggests, for a person to choose from.
//!
//! **Invariant:** what is offered names every argument of the call, holds for that very call, and
//! says nothing secret: better nothing is offered than something loose. **Invariant:** what looks
//! like a path, a URL, a command or one of a few is never left free in the first offer.

mod suggested;

use super::{Condition, Constraint, LexicalPaths, PathResolver, pointer};
use serde_json::Value;
use suggested::{SuggestedCondition, suggestions};

/// Offers that a person still reads.
const MOST: usize = 4;

/// Characters of an offer in words. What is longer would be cut where it is shown, and nobody would
/// see what it allows.
const WORDS: usize = 600;

/// Returns what a person may choose from who allows calls like this one for good: each is a list of
/// conditions that hold together, one for every argument, the strictest first, and all of them hold
/// for these arguments. Nothing if the call suggests none. Paths are taken as they are written.
pub fn offered(arguments: &Value) -> Vec<Vec<Constraint>> {
    offered_with(arguments, &[], &LexicalPaths)
}

/// The same for paths that lead where `paths` says, after an older grant under the conditions
/// `was`, if there was one: what it said is offered first, with the other arguments named.
pub(crate) fn offered_with(
    arguments: &Value,
    was: &[Constraint],
    paths: &dyn PathResolver,
) -> Vec<Vec<Constraint>> {
    let Some(suggested) = suggestions(arguments, paths) else { return Vec::new() };
    let strict = |one: &SuggestedCondition| Constraint::new(&one.argument, one.strict.clone());
    let loose = |one: &SuggestedCondition| match one.loosens {
        true => Constraint::new(&one.argument, Condition::Any),
        false => strict(one),
    };
    let mut offers = Vec::new();
    if !was.is_empty() {
        offers.push(renewed(was, &suggested, arguments, paths));
    }
    offers.push(suggested.iter().map(strict).collect());
    offers.push(suggested.iter().map(loose).collect());
    let mut chosen: Vec<Vec<Constraint>> = Vec::new();
    for mut offer in offers {
        // What restricts is read first.
        offer.sort_by_key(|constraint| constraint.is == Condition::Any);
        let sound = offer.iter().all(|one| one.flaw().is_none())
            && Constraint::cover(&offer, arguments, paths)
            && offer.iter().any(|one| one.is != Condition::Any)
            && length(&offer) <= WORDS;
        if sound && !chosen.contains(&offer) {
            chosen.push(offer);
        }
    }
    chosen.truncate(MOST);
    chosen
}

/// What an older grant said, as far as it still holds, and beside it what the call suggests for the
/// arguments it left free.
fn renewed(
    was: &[Constraint],
    suggested: &[SuggestedCondition],
    arguments: &Value,
    paths: &dyn PathResolver,
) -> Vec<Constraint> {
    // Then a name stood for an argument at the top, to the letter.
    let kept =
        was.iter().map(|one| Constraint::new(pointer::name(&[&one.argument]), one.is.clone()));
    let holds = |one: &Constraint| {
        let steps = pointer::steps(&one.argument).unwrap_or_default();
        pointer::find(arguments, &steps).is_some_and(|value| one.is.holds(value, paths))
    };
    let mut renewed: Vec<Constraint> = kept.filter(holds).collect();
    let named: Vec<_> = renewed.iter().filter_map(|one| pointer::steps(&one.argument)).collect();
    for one in suggested {
        let steps = pointer::steps(&one.argument).unwrap_or_default();
        if !named.iter().any(|named| steps.starts_with(named)) {
            renewed.push(Constraint::new(&one.argument, one.strict.clone()));
        }
    }
    renewed
}

fn length(offer: &[Constraint]) -> usize {
    offer.iter().map(|constraint| constraint.to_string().chars().count() + 2).sum()
}

#[cfg(test)]
mod tests;
