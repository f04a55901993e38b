//! The checkpoint of an earlier run, from which a mended program continues.
//!
//! The k-th call of a tool with the same arguments gets the outcome of the k-th such call of the
//! earlier run, in the same order and with the same clock readings. A call that failed is made
//! again. Outcomes of the earlier run's own checkpoint that it did not use are passed on.
//!
//! A run has its checkpoint in its own header, so that it can be rebuilt when the earlier run is
//! pruned.
//!
//! **Invariant:** no call is sent before the program has used all outcomes that it can, and a person
//! has seen the calls with effects that it did not make again.

use crate::model::{Ask, AskKind, CallId, CallResult, Effects, RunId, Timestamp, ToolName, fold};
use crate::router::BUILT_IN;
use crate::store::{CallVerdict, PastCall, PastCallStage, RunHeader, Timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// An outcome of an earlier run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::run) struct CheckpointOutcome {
    /// Its number in the checkpoint, by when the call was made.
    pub(in crate::run) number: u64,
    /// Its number among the outcomes, by when the program got them.
    pub(in crate::run) order: u64,
    pub(in crate::run) settled: CallResult,
    pub(in crate::run) at: Timestamp,
    run: RunId,
    call: CallId,
    tool: String,
    arguments: String,
    /// The effects of the tool when the call was sent. Decisions use the current effects instead.
    #[serde(default)]
    effects: Effects,
}

/// A checkpoint in the form of a header.
#[derive(Default, Serialize, Deserialize)]
struct StoredCheckpoint {
    /// In the order in which the calls were made.
    recalled: Vec<CheckpointOutcome>,
    /// Tool and arguments of calls that were sent and whose outcome is unknown.
    unknown: Vec<(String, String)>,
}

/// The outcomes of earlier runs that the program has not used yet.
pub(in crate::run) struct Checkpoint {
    left: HashMap<(String, String), VecDeque<CheckpointOutcome>>,
    unknown: HashMap<(String, String), VecDeque<(String, String)>>,
    passed: bool,
}

impl Checkpoint {
    /// Returns the checkpoint of a run, and its text for a header. Outcomes that the run itself had
    /// from a checkpoint and did not use are in it.
    pub(in crate::run) fn of(
        header: &RunHeader,
        history: &Timeline<'_>,
    ) -> Result<(Checkpoint, String), serde_json::Error> {
        let inherited = match &header.checkpoint {
            Some(text) => {
                let mut inherited = Checkpoint::read(text)?;
                inherited.take_all_again(history);
                inherited.into_stored()
            }
            None => StoredCheckpoint::default(),
        };
        let given = history.outcomes.iter().zip(0..).filter_map(|(given, order)| {
            let past = history.calls.get(&given.call)?;
            let (CallResult::Value(_), Ok(arguments)) = (given.settled, past.arguments) else {
                return None;
            };
            let recalled = CheckpointOutcome {
                number: 0,
                order,
                settled: given.settled.clone(),
                at: given.at,
                run: header.run,
                call: given.call,
                tool: past.tool.into(),
                arguments: arguments.into(),
                effects: past.sent.as_ref().map_or_else(Effects::default, |sent| sent.effects),
            };
            Some((given.call, recalled))
        });
        // The k-th call counts by when it was made, not by when it was answered. Unused outcomes of
        // an earlier run come after those of this one.
        let given: BTreeMap<_, _> = given.collect();
        let mut recalled: Vec<_> = given.into_values().chain(inherited.recalled).collect();
        let own = history.outcomes.len() as u64;
        for (recalled, number) in recalled.iter_mut().zip(0..) {
            if recalled.run != header.run {
                recalled.order += own;
            }
            recalled.number = number;
        }
        let mut stored = StoredCheckpoint { recalled, unknown: inherited.unknown };
        for past in history.calls.values().filter(|past| past.outcome_unknown) {
            if let Ok(arguments) = past.arguments {
                stored.unknown.push((past.tool.into(), arguments.into()));
            }
        }
        let text = serde_json::to_string(&stored)?;
        Ok((Checkpoint::from(stored), text))
    }

    /// Reads a checkpoint from the text of a header.
    pub(in crate::run) fn read(text: &str) -> Result<Checkpoint, serde_json::Error> {
        serde_json::from_str::<StoredCheckpoint>(text).map(Checkpoint::from)
    }

    fn into_stored(self) -> StoredCheckpoint {
        let mut recalled: Vec<_> = self.left.into_values().flatten().collect();
        recalled.sort_by_key(|recalled| recalled.number);
        let mut unknown: Vec<_> = self.unknown.into_values().flatten().collect();
        unknown.sort();
        StoredCheckpoint { recalled, unknown }
    }

    /// Reports whether an earlier run made this call and its outcome is unknown. Each such call counts
    /// once.
    pub(in crate::run) fn take_unknown(&mut self, tool: &str, arguments: &str) -> bool {
        let left = self.unknown.get_mut(&key(&folded(tool), arguments));
        left.is_some_and(|left| left.pop_front().is_some())
    }

    /// Takes the outcome of the next call of this tool with these arguments.
    pub(in crate::run) fn take(
        &mut self,
        tool: &str,
        arguments: &str,
    ) -> Option<CheckpointOutcome> {
        self.left.get_mut(&key(tool, arguments))?.pop_front()
    }

    /// Takes all outcomes that a run used before it was rebuilt.
    pub(in crate::run) fn take_all_again(&mut self, history: &Timeline<'_>) {
        for past in history.calls.values() {
            match (past.verdict, past.arguments) {
                (CallVerdict::Recall { number }, _) if past.stage == PastCallStage::Done => {
                    self.take_again(past, *number);
                }
                (CallVerdict::Ask { kind: AskKind::UncertainCall, .. }, Ok(arguments)) => {
                    self.take_unknown(past.tool, arguments);
                }
                _ => {}
            }
        }
        self.passed = history.any_call_sent;
    }

    /// Takes an outcome that the run asked for before it was rebuilt.
    pub(in crate::run) fn take_again(
        &mut self,
        past: &PastCall<'_>,
        number: u64,
    ) -> Option<CheckpointOutcome> {
        let arguments = past.arguments.ok()?;
        let left = self.left.get_mut(&key(past.tool, arguments))?;
        let at = left.iter().position(|recalled| recalled.number == number)?;
        left.remove(at)
    }

    /// Reports whether calls may be sent.
    pub(in crate::run) fn passed(&self) -> bool {
        self.passed
    }

    pub(in crate::run) fn pass(&mut self) {
        self.passed = true;
    }

    /// Returns the tools of unused outcomes that only read when they were called.
    pub(in crate::run) fn readers(&self) -> impl Iterator<Item = ToolName> {
        let left = self.left.values().flatten();
        let readers = left.filter(|recalled| recalled.effects == Effects::ReadOnly);
        readers.filter_map(|recalled| recalled.tool.parse().ok())
    }

    /// Returns the calls that may have had effects and that the program has not made again,
    /// oldest first. `effects` returns the current effects of a tool.
    pub(in crate::run) fn unmatched(
        &self,
        effects: impl Fn(&ToolName) -> Effects,
    ) -> Vec<UnmatchedCall> {
        let left = self.left.values().flatten().filter_map(|recalled| {
            let tool = recalled.tool.parse::<ToolName>().ok()?;
            let harmless = tool.server() == BUILT_IN || effects(&tool) == Effects::ReadOnly;
            let unmatched = || UnmatchedCall {
                run: recalled.run,
                call: recalled.call,
                tool: recalled.tool.clone(),
                arguments: recalled.arguments.clone(),
            };
            (!harmless).then(|| (recalled.number, unmatched()))
        });
        let left: BTreeMap<_, _> = left.collect();
        left.into_values().collect()
    }
}

impl From<StoredCheckpoint> for Checkpoint {
    fn from(stored: StoredCheckpoint) -> Checkpoint {
        let (mut left, mut unknown) =
            (HashMap::<_, VecDeque<_>>::new(), HashMap::<_, VecDeque<_>>::new());
        for recalled in stored.recalled {
            left.entry(key(&recalled.tool, &recalled.arguments)).or_default().push_back(recalled);
        }
        for (tool, arguments) in stored.unknown {
            let key = key(&folded(&tool), &arguments);
            unknown.entry(key).or_default().push_back((tool, arguments));
        }
        Checkpoint { left, unknown, passed: false }
    }
}

/// A call of an earlier run that the mended program did not make again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct UnmatchedCall {
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

impl UnmatchedCall {
    pub(in crate::run) fn ask(&self) -> Ask {
        let arguments = serde_json::from_str(&self.arguments).unwrap_or(Value::Null);
        let reason = format!(
            "the earlier run made this call ({}), and the mended program does not make it",
            self.call
        );
        Ask::new(AskKind::UncertainCall, None, self.tool.clone(), arguments, reason)
    }
}

/// Folds the spelling of a tool: a call whose outcome is unknown counts under all spellings.
fn folded(tool: &str) -> String {
    tool.splitn(2, ':').map(fold).collect::<Vec<_>>().join(":")
}

/// Returns the key of a call. The order of the arguments' keys does not matter.
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
