//! Whether conditions cover all arguments of a call.
//!
//! **Invariant:** a call is covered only if every condition holds and every value in its arguments
//! stands at, or below, an argument that a condition names: what is there and was not spoken of is
//! not covered, be it `null` or an empty list.

use super::condition::quoted;
use super::{Condition, Constraint, PathResolver, pointer};
use crate::model::cut;
use serde_json::Value;
use std::fmt;

/// Gaps that are told; more would bury what is said.
const TOLD: usize = 3;

/// Characters of an argument's name in a gap: it is the program's own word.
const NAME: usize = 60;

/// Depth at which arguments are no longer looked at. JSON that is read has no more.
const DEPTH: usize = 128;

/// An argument that keeps conditions from covering a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CoverageGap {
    /// It is there, and no condition names it.
    Unnamed(Vec<String>),
    /// It is not what its condition says.
    Unmet(Vec<String>),
    /// A condition names it, and it is not there.
    Missing(Vec<String>),
    /// There are no arguments by name at all.
    Everything,
}

impl Constraint {
    /// Returns what keeps conditions from covering arguments, or as much of it as a person reads;
    /// nothing if they cover them.
    pub(crate) fn gaps(
        constraints: &[Constraint],
        arguments: &Value,
        paths: &dyn PathResolver,
    ) -> Vec<CoverageGap> {
        let Some(given) = arguments.as_object() else { return vec![CoverageGap::Everything] };
        let mut gaps = Vec::new();
        let mut named = Vec::new();
        for constraint in constraints {
            let Some(steps) = pointer::steps(&constraint.argument) else {
                return vec![CoverageGap::Everything];
            };
            match pointer::find(arguments, &steps) {
                Some(value) if constraint.is.holds(value, paths) => {}
                Some(_) => gaps.push(CoverageGap::Unmet(steps.clone())),
                // Who allows anything allows nothing at all.
                None if constraint.is == Condition::Any => {}
                None => gaps.push(CoverageGap::Missing(steps.clone())),
            }
            named.push(steps);
        }
        let ends: Vec<&[String]> = named.iter().map(Vec::as_slice).collect();
        let mut trail = Vec::new();
        for (name, value) in given {
            unnamed(name, value, &ends, &mut trail, &mut gaps);
        }
        gaps.truncate(TOLD);
        gaps
    }

    /// Returns whether conditions cover all that is in arguments.
    pub(crate) fn cover(
        constraints: &[Constraint],
        arguments: &Value,
        paths: &dyn PathResolver,
    ) -> bool {
        Constraint::gaps(constraints, arguments, paths).is_empty()
    }
}

/// Notes what no condition names of a value that stands under `name`. `ends` is what is left of the
/// way to each condition.
fn unnamed(
    name: &str,
    value: &Value,
    ends: &[&[String]],
    trail: &mut Vec<String>,
    gaps: &mut Vec<CoverageGap>,
) {
    if gaps.len() >= TOLD {
        return;
    }
    let through = ends.iter().filter_map(|end| end.split_first());
    let below: Vec<&[String]> =
        through.filter(|(step, _)| *step == name).map(|(_, rest)| rest).collect();
    if below.iter().any(|end| end.is_empty()) {
        return;
    }
    trail.push(name.to_owned());
    match value {
        _ if below.is_empty() || trail.len() > DEPTH => {
            gaps.push(CoverageGap::Unnamed(trail.clone()))
        }
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                unnamed(name, value, &below, trail, gaps);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                if gaps.len() >= TOLD {
                    break;
                }
                unnamed(&index.to_string(), value, &below, trail, gaps);
            }
        }
        _ => gaps.push(CoverageGap::Unnamed(trail.clone())),
    }
    trail.pop();
}

/// For people: `` `overwrite`, which nobody spoke of ``.
impl fmt::Display for CoverageGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoverageGap::Unnamed(steps) => write!(f, "{}, which no condition names", words(steps)),
            CoverageGap::Unmet(steps) => words(steps).fmt(f),
            CoverageGap::Missing(steps) => write!(f, "{}, which is missing", words(steps)),
            CoverageGap::Everything => f.write_str("arguments without names"),
        }
    }
}

/// Returns where an argument stands: `` `path` of `options` ``.
pub(super) fn words(steps: &[String]) -> String {
    let step = |step: &String| quoted(&cut(step, NAME));
    steps.iter().rev().map(step).collect::<Vec<_>>().join(" of ")
}

#[cfg(test)]
mod tests;
