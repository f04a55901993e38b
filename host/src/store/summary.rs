//! Runs as a list shows them.

use super::Meter;
use crate::model::{Question, RecordedDecision, RunId, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, time::Duration};

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunState {
    /// A process has it.
    Running,
    /// It waits for a person.
    Waiting,
    /// It was running, and the process that had it is gone.
    Interrupted,
    /// It has a result.
    Finished,
    /// It failed.
    Failed,
    /// A person ended it.
    Aborted,
    /// It waited for a person for too long.
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

    /// Returns whether the run is over.
    pub fn ended(self) -> bool {
        matches!(
            self,
            RunState::Finished | RunState::Failed | RunState::Aborted | RunState::Expired
        )
    }
}

/// What a reader sees of a run beside the state that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunObservation {
    /// Whether a living process has the run.
    pub(super) owned: bool,
    /// Whether one of its open questions has expired.
    pub(super) expired: bool,
}

impl RunState {
    /// Returns the state that a reader is told, given the state that was written.
    pub(super) fn observed(self, seen: RunObservation) -> RunState {
        match self {
            RunState::Waiting if seen.expired => RunState::Expired,
            RunState::Running if !seen.owned => RunState::Interrupted,
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

/// A run as a list shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// Which run.
    pub run: RunId,
    /// The script's name.
    pub script: String,
    /// Where it stands.
    pub state: RunState,
    /// When it was created.
    pub created: Timestamp,
    /// When something last happened.
    pub updated: Timestamp,
    /// What it has cost so far.
    pub meter: Meter,
    /// The process that has it, if one does: its id.
    pub owner: Option<u32>,
    /// The run whose settled calls it uses again.
    pub resumed_from: Option<RunId>,
    /// Its open questions.
    pub questions: u64,
}

impl RunSummary {
    /// Returns a summary; doors and tests of other rooms make none.
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

/// Which runs to list. The default lists all, newest first.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Only runs in one of these states; empty for all.
    pub states: Vec<RunState>,
    /// Only runs whose script's name contains this.
    pub script: Option<String>,
    /// Only runs whose id starts with this text.
    pub id: Option<String>,
    /// At most this many.
    pub limit: Option<u64>,
}

impl RunFilter {
    /// Returns whether a run is listed, its limit aside.
    pub(super) fn wants(&self, run: RunId, script: &str, state: RunState) -> bool {
        (self.states.is_empty() || self.states.contains(&state))
            && self.script.as_ref().is_none_or(|part| script.contains(part))
            && self.id.as_ref().is_none_or(|start| run.to_string().starts_with(start))
    }
}

/// A question, whether anybody can still answer it, and what was said so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoredQuestion {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// Whether it is open: neither answered whole, nor expired, nor given up by its run.
    pub open: bool,
    /// What was decided, in order.
    pub decided: Vec<RecordedDecision>,
}

impl StoredQuestion {
    /// Returns a question with what was said to it.
    pub fn new(question: Question, open: bool, decided: Vec<RecordedDecision>) -> StoredQuestion {
        StoredQuestion { question, open, decided }
    }
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerOutcome {
    /// It was recorded; this many asks of the question are still open.
    Recorded {
        /// The question.
        question: Question,
        /// How many asks are left.
        open: usize,
    },
    /// Somebody was faster: nothing was changed.
    Late {
        /// The question.
        question: Question,
        /// What had been decided.
        decided: Vec<RecordedDecision>,
    },
    /// The question is not the one that was shown to whoever answered: nothing was recorded.
    NotShown {
        /// The question as it is.
        question: Question,
    },
    /// The question expired, or there is none of that id.
    Gone,
}

/// Which runs to forget. A run that somebody has, or that waits for a person, is never forgotten.
#[derive(Clone, Debug, Default)]
pub struct PruneRule {
    /// Keep this many of the newest.
    pub keep: Option<u64>,
    /// Forget what ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Count runs that were cut off, and that nobody took up, like those that are over.
    pub interrupted: bool,
}

impl PruneRule {
    /// Runs that are kept unless told otherwise: enough to look back over days of work.
    pub const KEEP: u64 = 1_000;
    /// How long they are kept.
    pub const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// Returns the rule that a journal follows on its own.
    pub fn by_default() -> PruneRule {
        PruneRule {
            keep: Some(PruneRule::KEEP),
            older_than: Some(PruneRule::AGE),
            interrupted: true,
        }
    }

    /// Returns whether a run is one too many if this many newer ones are covered.
    pub(super) fn is_surplus(&self, newer: u64) -> bool {
        self.keep.is_some_and(|keep| newer >= keep)
    }

    /// Returns whether a run of this age is too old.
    pub(super) fn is_old(&self, age: Duration) -> bool {
        self.older_than.is_some_and(|oldest| age > oldest)
    }

    /// Returns whether runs in this state may be forgotten.
    pub(super) fn covers(&self, state: RunState) -> bool {
        state.ended() || (self.interrupted && state == RunState::Interrupted)
    }
}
