//! Builds and chooses the offers.

use super::super::{Condition, Constraint, LexicalPaths, PathResolver, pointer};
use super::suggested::{SuggestedCondition, suggestions};
use serde_json::Value;

/// The number of offers that a person still reads.
const MAX_OFFERS: usize = 4;

/// Most characters of an offer as text. A longer one would be cut where it is shown, and hide what
/// it allows.
const MAX_LENGTH: usize = 600;

/// Returns the offers for a person who permanently allows calls like this one. Each offer is a list
/// of conditions that hold together, one for every argument. All offers hold for these arguments;
/// the strictest comes first. The list is empty if the call suggests no conditions. Paths are not
/// resolved.
pub fn offered(arguments: &Value) -> Vec<Vec<Constraint>> {
    offered_with(arguments, &[], &LexicalPaths)
}

/// Returns the offers, with paths resolved by `paths`. If there was an older grant with the
/// conditions `older`, these come first, completed by conditions for the other arguments.
pub(crate) fn offered_with(
    arguments: &Value,
    older: &[Constraint],
    paths: &dyn PathResolver,
) -> Vec<Vec<Constraint>> {
    let Some(suggested) = suggestions(arguments, paths) else { return Vec::new() };
    let strict = |one: &SuggestedCondition| Constraint::new(&one.argument, one.strict.clone());
    let loose = |one: &SuggestedCondition| match one.may_be_free {
        true => Constraint::new(&one.argument, Condition::Any),
        false => strict(one),
    };
    let mut offers = Vec::new();
    if !older.is_empty() {
        offers.push(renew(older, &suggested, arguments, paths));
    }
    offers.push(suggested.iter().map(strict).collect());
    offers.push(suggested.iter().map(loose).collect());
    let mut chosen: Vec<Vec<Constraint>> = Vec::new();
    for mut offer in offers {
        // Conditions that restrict come first.
        offer.sort_by_key(|constraint| constraint.is == Condition::Any);
        let sound = offer.iter().all(|one| one.flaw().is_none())
            && Constraint::cover(&offer, arguments, paths)
            && offer.iter().any(|one| one.is != Condition::Any)
            && length(&offer) <= MAX_LENGTH;
        if sound && !chosen.contains(&offer) {
            chosen.push(offer);
        }
    }
    chosen.truncate(MAX_OFFERS);
    chosen
}

/// Returns the conditions of an older grant that still hold, with conditions that the call suggests
/// for the other arguments.
fn renew(
    older: &[Constraint],
    suggested: &[SuggestedCondition],
    arguments: &Value,
    paths: &dyn PathResolver,
) -> Vec<Constraint> {
    // In older grants a name always meant an argument at the top level, to the letter.
    let converted = older
        .iter()
        .map(|one| Constraint::new(pointer::name_of_steps(&[&one.argument]), one.is.clone()));
    let holds = |one: &Constraint| {
        let steps = pointer::steps(&one.argument).unwrap_or_default();
        pointer::find(arguments, &steps).is_some_and(|value| one.is.holds(value, paths))
    };
    let mut renewed: Vec<Constraint> = converted.filter(holds).collect();
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
