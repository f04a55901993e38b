//! Runs as they are listed, filters for them, and stored questions.

use super::Meter;
use crate::model::{Question, RecordedDecision, RunId, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, time::Duration};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunState {
    /// A process owns it.
    Running,
    /// It waits for a person.
    Waiting,
    /// It was running, and the process that owned it is gone.
    Interrupted,
    /// It has a result.
    Finished,
    /// It failed.
    Failed,
    /// A person aborted it.
    Aborted,
    /// A person did not answer in time.
    Expired,
}

impl RunState {
    /// All states there are.
    pub const ALL: &[RunState] = &[
        RunState::Running,
        RunState::Waiting,
        RunState::Interrupted,
        RunState::Finished,
        RunState::Failed,
        RunState::Aborted,
        RunState::Expired,
    ];

    /// Returns the state as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Waiting => "waiting",
            RunState::Interrupted => "interrupted",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
            RunState::Aborted => "aborted",
            RunState::Expired => "expired",
        }
    }

    /// Reports whether the run has ended.
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            RunState::Finished | RunState::Failed | RunState::Aborted | RunState::Expired
        )
    }
}

/// Facts about a run that a reader observes beside the stored state.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunObservation {
    /// True if a living process owns the run.
    pub(super) owned: bool,
    /// True if one of its open questions has expired.
    pub(super) expired: bool,
}

impl RunState {
    /// Returns the state to show, given the stored state (`self`) and what was observed.
    pub(super) fn observed(self, observation: RunObservation) -> RunState {
        match self {
            RunState::Waiting if observation.expired => RunState::Expired,
            RunState::Running if !observation.owned => RunState::Interrupted,
            state => state,
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for RunState {
    type Err = String;

    fn from_str(text: &str) -> Result<RunState, String> {
        let found = RunState::ALL.iter().copied().find(|state| state.as_str() == text);
        found.ok_or_else(|| format!("`{}` is not the state of a run", crate::model::escape(text)))
    }
}

/// A run as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// The run.
    pub run: RunId,
    /// The script's name.
    pub script: String,
    /// Its state.
    pub state: RunState,
    /// When it was created.
    pub created: Timestamp,
    /// The time of its last entry.
    pub updated: Timestamp,
    /// The resources that it has used so far.
    pub meter: Meter,
    /// The id of the process that owns it, if one does.
    pub owner: Option<u32>,
    /// The run whose settled calls it reuses.
    pub resumed_from: Option<RunId>,
    /// The number of its open questions.
    pub questions: u64,
}

impl RunSummary {
    /// Returns a summary. Only journals make summaries.
    #[expect(clippy::too_many_arguments, reason = "it is a plain record, filled in one place")]
    pub fn new(
        run: RunId,
        script: String,
        state: RunState,
        created: Timestamp,
        updated: Timestamp,
        meter: Meter,
        owner: Option<u32>,
        resumed_from: Option<RunId>,
        questions: u64,
    ) -> RunSummary {
        RunSummary { run, script, state, created, updated, meter, owner, resumed_from, questions }
    }
}

/// Selects runs to list. The default selects all, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs in one of these states; empty for all.
    pub states: Vec<RunState>,
    /// Only runs whose script's name contains this.
    pub script: Option<String>,
    /// Only runs whose id starts with this text.
    pub id_prefix: Option<String>,
    /// At most this many.
    pub limit: Option<u64>,
}

impl RunFilter {
    /// Reports whether a run is listed, ignoring the limit.
    pub(super) fn selects(&self, run: RunId, script: &str, state: RunState) -> bool {
        (self.states.is_empty() || self.states.contains(&state))
            && self.script.as_ref().is_none_or(|part| script.contains(part))
            && self.id_prefix.as_ref().is_none_or(|start| run.to_string().starts_with(start))
    }
}

/// A question with its recorded decisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredQuestion {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// True if it can still be answered: it is neither fully answered, nor expired, nor withdrawn.
    pub open: bool,
    /// The recorded decisions, in order.
    pub decided: Vec<RecordedDecision>,
}

impl StoredQuestion {
    /// Returns a question with its recorded decisions.
    pub fn new(question: Question, open: bool, decided: Vec<RecordedDecision>) -> StoredQuestion {
        StoredQuestion { question, open, decided }
    }
}

/// The outcome of recording an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerOutcome {
    /// The answer was recorded.
    Recorded {
        /// The question.
        question: Question,
        /// How many asks of the question are still open.
        open: usize,
    },
    /// Somebody else had decided first: nothing was changed.
    Late {
        /// The question.
        question: Question,
        /// The decisions that were recorded before.
        decided: Vec<RecordedDecision>,
    },
    /// The answer is about another question than the stored one: nothing was recorded.
    NotShown {
        /// The stored question.
        question: Question,
    },
    /// The question has expired or was closed, or no question has this id.
    Gone,
}

/// Selects runs to remove. A run that is owned, or that waits for a person, is never removed.
#[derive(Clone, Debug, Default)]
pub struct PruneRule {
    /// Retain this many of the newest.
    pub keep: Option<u64>,
    /// Remove runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Treat interrupted runs like ended ones.
    pub interrupted: bool,
}

impl PruneRule {
    /// Default number of retained runs: enough to look back over days of work.
    pub const KEEP: u64 = 1_000;
    /// Default age up to which runs are retained.
    pub const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// Returns the rule that a journal applies on its own.
    pub fn by_default() -> PruneRule {
        PruneRule {
            keep: Some(PruneRule::KEEP),
            older_than: Some(PruneRule::AGE),
            interrupted: true,
        }
    }

    /// Reports whether a run is surplus if this many newer runs are covered by the rule.
    pub(super) fn is_surplus(&self, newer: u64) -> bool {
        self.keep.is_some_and(|keep| newer >= keep)
    }

    /// Reports whether a run of this age is too old.
    pub(super) fn is_old(&self, age: Duration) -> bool {
        self.older_than.is_some_and(|oldest| age > oldest)
    }

    /// Reports whether runs in this state may be removed.
    pub(super) fn covers(&self, state: RunState) -> bool {
        state.has_ended() || (self.interrupted && state == RunState::Interrupted)
    }
}
