//! What an earlier run has done, for a mended program that takes up from there.
//!
//! The k-th call of a tool with the same arguments gets the outcome of the k-th such call of the earlier run, in the order
//! and with the clock readings of then. A call that failed is made again.
//!
//! **Invariant:** nothing goes out before the program has used up what it can, and a person has seen which calls with
//! effects it did not ask for again.

use super::history::{History, Past, Reached};
use crate::model::{Ask, AskKind, CallId, Effects, RunId, Settled, Timestamp, ToolName};
use crate::router::BUILT_IN;
use crate::store::Verdict;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// An outcome of the earlier run.
#[derive(Clone, Debug)]
pub(super) struct Recalled {
    /// The call of the earlier run.
    pub(super) call: CallId,
    /// Its place among the outcomes that the earlier program was given.
    pub(super) order: usize,
    pub(super) settled: Settled,
    pub(super) at: Timestamp,
    tool: String,
    arguments: String,
}

/// The outcomes of an earlier run that have not been used again.
pub(super) struct Checkpoint {
    run: RunId,
    left: HashMap<(String, String), VecDeque<Recalled>>,
    /// Calls that went out, and nobody knows what became of them.
    unknown: HashMap<(String, String), usize>,
    passed: bool,
}

impl Checkpoint {
    pub(super) fn new(run: RunId, history: &History) -> Checkpoint {
        let given = history.given.iter().enumerate().filter_map(|(order, given)| {
            let past = history.calls.get(&given.call)?;
            let (Settled::Value(_), Ok(arguments)) = (&given.settled, &past.arguments) else {
                return None;
            };
            let recalled = Recalled {
                call: given.call,
                order,
                settled: given.settled.clone(),
                at: given.at,
                tool: past.tool.clone(),
                arguments: arguments.clone(),
            };
            Some((given.call, recalled))
        });
        // The k-th call counts by when it was made, not by when it was answered.
        let given: BTreeMap<_, _> = given.collect();
        let mut left = HashMap::<_, VecDeque<_>>::new();
        for recalled in given.into_values() {
            left.entry(key(&recalled.tool, &recalled.arguments)).or_default().push_back(recalled);
        }
        let mut unknown = HashMap::new();
        for past in history.calls.values().filter(|past| past.unknown) {
            if let Ok(arguments) = &past.arguments {
                *unknown.entry(key(&past.tool, arguments)).or_default() += 1;
            }
        }
        Checkpoint { run, left, unknown, passed: false }
    }

    /// Whether the earlier run made this call, and nobody knows what became of it. Each counts once.
    pub(super) fn take_unknown(&mut self, tool: &str, arguments: &str) -> bool {
        let left = self.unknown.get_mut(&key(tool, arguments)).filter(|left| **left > 0);
        left.is_some_and(|left| {
            *left -= 1;
            true
        })
    }

    /// Takes the outcome of the next such call.
    pub(super) fn take(&mut self, tool: &str, arguments: &str) -> Option<Recalled> {
        self.left.get_mut(&key(tool, arguments))?.pop_front()
    }

    /// Takes everything that a run has used before it was rebuilt.
    pub(super) fn take_all_again(&mut self, history: &History) {
        for past in history.calls.values().filter(|past| past.reached == Reached::Done) {
            if let Verdict::Recall { call } = past.verdict {
                self.take_again(past, call);
            }
        }
        self.passed = history.went_out;
    }

    /// Takes an outcome that this run had asked for before it was rebuilt.
    pub(super) fn take_again(&mut self, past: &Past, call: CallId) -> Option<Recalled> {
        let arguments = past.arguments.as_ref().ok()?;
        let left = self.left.get_mut(&key(&past.tool, arguments))?;
        let at = left.iter().position(|recalled| recalled.call == call)?;
        left.remove(at)
    }

    /// Whether calls may go out.
    pub(super) fn passed(&self) -> bool {
        self.passed
    }

    pub(super) fn pass(&mut self) {
        self.passed = true;
    }

    /// The calls that may have had effects and that the program has not asked for again, oldest first.
    pub(super) fn unmatched(&self, effects: impl Fn(&ToolName) -> Effects) -> Vec<Unmatched> {
        let left = self.left.values().flatten().filter_map(|recalled| {
            let tool = recalled.tool.parse::<ToolName>().ok()?;
            let harmless = tool.server() == BUILT_IN || effects(&tool) == Effects::ReadOnly;
            let unmatched = || Unmatched {
                run: self.run,
                call: recalled.call,
                tool: recalled.tool.clone(),
                arguments: recalled.arguments.clone(),
            };
            (!harmless).then(unmatched)
        });
        let mut left: Vec<_> = left.collect();
        left.sort_by_key(|unmatched| unmatched.call);
        left
    }
}

/// A call of an earlier run that a mended program did not ask for again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Unmatched {
    /// The earlier run.
    pub run: RunId,
    /// The call of that run.
    pub call: CallId,
    /// The tool as its program wrote it.
    pub tool: String,
    /// Its arguments: one JSON text, exactly.
    #[serde(skip)]
    pub arguments: String,
}

impl Unmatched {
    pub(super) fn ask(&self) -> Ask {
        let arguments = serde_json::from_str(&self.arguments).unwrap_or(Value::Null);
        let reason = format!(
            "call {} of the earlier run was made, and the mended program does not ask for it again",
            self.call
        );
        Ask::new(AskKind::UncertainCall, None, self.tool.clone(), arguments, reason)
    }
}

/// Arguments are the same whatever the order of their keys.
fn key(tool: &str, arguments: &str) -> (String, String) {
    let sorted = match serde_json::from_str::<Value>(arguments) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        Err(_) => arguments.into(),
    };
    (tool.into(), sorted)
}

#[cfg(test)]
mod tests {
    use super::Checkpoint;
    use crate::model::{CallId, Effects, RunId, Settled, Timestamp};
    use crate::run::history::History;
    use crate::store::{Entry, Meter, Verdict, What};

    fn earlier(calls: &[(&str, &str, Settled)]) -> Checkpoint {
        let mut entries = Vec::new();
        let mut note = |what| entries.push(Entry::new(Timestamp(1), Meter::default(), what));
        for ((tool, arguments, _), id) in calls.iter().zip(1..) {
            note(What::Requested {
                call: CallId(id),
                tool: (*tool).into(),
                arguments: Ok((*arguments).into()),
                verdict: Verdict::Go,
            });
        }
        for (index, (.., settled)) in calls.iter().enumerate().rev() {
            let id = index as u64 + 1;
            note(What::Settled { call: CallId(id), settled: settled.clone() });
        }
        Checkpoint::new(RunId::new(), &History::read(entries))
    }

    fn value(text: &str) -> Settled {
        Settled::Value(text.into())
    }

    #[test]
    fn the_kth_call_gets_the_kth_outcome_whatever_the_order_of_keys() {
        let mut checkpoint = earlier(&[
            ("a:b", r#"{"x":1,"y":2}"#, value("1")),
            ("a:b", r#"{"x":2}"#, value("2")),
            ("a:b", r#"{"y":2,"x":1}"#, value("3")),
        ]);
        let mut take = |arguments| checkpoint.take("a:b", arguments).map(|found| found.settled);
        assert_eq!(take(r#"{"y":2,"x":1}"#), Some(value("1")));
        assert_eq!(take(r#"{"x":1,"y":2}"#), Some(value("3")));
        assert_eq!(take(r#"{"x":1,"y":2}"#), None);
        assert_eq!(take(r#"{"x":2}"#), Some(value("2")));
    }

    #[test]
    fn a_call_that_failed_is_not_recalled() {
        let failed = Settled::Error { code: "X".into(), message: "no".into(), data: None };
        assert!(earlier(&[("a:b", "{}", failed)]).take("a:b", "{}").is_none());
    }

    #[test]
    fn only_calls_that_may_have_had_effects_are_unmatched() {
        let mut checkpoint = earlier(&[
            ("a:write", "{}", value("1")),
            ("a:read", "{}", value("2")),
            ("pml:sleep", r#"{"ms":1}"#, value("null")),
            ("a:write", r#"{"n":1}"#, value("3")),
        ]);
        let effects = |tool: &crate::model::ToolName| match tool.tool() {
            "read" => Effects::ReadOnly,
            _ => Effects::Unknown,
        };
        let calls = |checkpoint: &Checkpoint| -> Vec<_> {
            checkpoint.unmatched(effects).iter().map(|unmatched| unmatched.call.0).collect()
        };
        assert_eq!(calls(&checkpoint), [1, 4]);
        checkpoint.take("a:write", "{}");
        assert_eq!(calls(&checkpoint), [4]);
    }
}
