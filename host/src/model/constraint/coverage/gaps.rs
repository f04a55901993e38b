//! The gaps: arguments that conditions do not cover.

use super::super::condition::quoted;
use super::super::{Condition, Constraint, PathResolver, pointer};
use crate::model::cut;
use serde_json::Value;
use std::fmt;

/// Gaps that are reported: more would bury the message.
const MAX_GAPS: usize = 3;

/// Characters of an argument's name in a gap: the program chooses the name, and may choose a long
/// one.
const NAME_LIMIT: usize = 60;

/// Depth beyond which arguments are not searched. Parsed JSON is never deeper.
const DEPTH_LIMIT: usize = 128;

/// An argument that is the reason why conditions do not cover a call. The texts are the steps to
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CoverageGap {
    /// The argument is present, and no condition names it.
    Unnamed(Vec<String>),
    /// Its condition does not hold.
    Unmet(Vec<String>),
    /// A condition names it, and it is missing.
    Missing(Vec<String>),
    /// The arguments have no names at all.
    Everything,
}

impl Constraint {
    /// Returns the reasons why conditions do not cover arguments, at most as many as a person
    /// reads. The list is empty if the conditions cover them.
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
                // An argument that may be anything may also be missing.
                None if constraint.is == Condition::Any => {}
                None => gaps.push(CoverageGap::Missing(steps.clone())),
            }
            named.push(steps);
        }
        let remaining_steps: Vec<&[String]> = named.iter().map(Vec::as_slice).collect();
        let mut trail = Vec::new();
        for (name, value) in given {
            add_unnamed(name, value, &remaining_steps, &mut trail, &mut gaps);
        }
        gaps.truncate(MAX_GAPS);
        gaps
    }

    /// Reports whether conditions cover everything in the arguments.
    pub(crate) fn cover(
        constraints: &[Constraint],
        arguments: &Value,
        paths: &dyn PathResolver,
    ) -> bool {
        Constraint::gaps(constraints, arguments, paths).is_empty()
    }
}

/// Adds a gap for each part of the value under `name` that no condition names. `remaining_steps`
/// holds, for each condition, the rest of the steps to its argument.
fn add_unnamed(
    name: &str,
    value: &Value,
    remaining_steps: &[&[String]],
    trail: &mut Vec<String>,
    gaps: &mut Vec<CoverageGap>,
) {
    if gaps.len() >= MAX_GAPS {
        return;
    }
    let through = remaining_steps.iter().filter_map(|end| end.split_first());
    let below: Vec<&[String]> =
        through.filter(|(step, _)| *step == name).map(|(_, rest)| rest).collect();
    if below.iter().any(|end| end.is_empty()) {
        return;
    }
    trail.push(name.to_owned());
    match value {
        _ if below.is_empty() || trail.len() > DEPTH_LIMIT => {
            gaps.push(CoverageGap::Unnamed(trail.clone()))
        }
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                add_unnamed(name, value, &below, trail, gaps);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                if gaps.len() >= MAX_GAPS {
                    break;
                }
                add_unnamed(&index.to_string(), value, &below, trail, gaps);
            }
        }
        _ => gaps.push(CoverageGap::Unnamed(trail.clone())),
    }
    trail.pop();
}

/// Writes the gap for people: `` `overwrite`, which no condition names ``.
impl fmt::Display for CoverageGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoverageGap::Unnamed(steps) => {
                write!(f, "{}, which no condition names", describe_steps(steps))
            }
            CoverageGap::Unmet(steps) => describe_steps(steps).fmt(f),
            CoverageGap::Missing(steps) => write!(f, "{}, which is missing", describe_steps(steps)),
            CoverageGap::Everything => f.write_str("arguments without names"),
        }
    }
}

/// Returns the position of an argument: `` `path` of `options` ``.
pub(in crate::model::constraint) fn describe_steps(steps: &[String]) -> String {
    let step = |step: &String| quoted(&cut(step, NAME_LIMIT));
    steps.iter().rev().map(step).collect::<Vec<_>>().join(" of ")
}
