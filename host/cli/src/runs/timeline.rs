//! What became of each call, folded from the entries of a run.

use pml::{CallId, CallResult, CallVerdict, JournalEntry, JournalEvent, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where a call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TimelineCallState {
    /// It has not gone out.
    Queued,
    /// A person is asked about it.
    Asked,
    /// It is out; if nobody has the run any more, its outcome is unknown.
    Executing,
    /// It is a timer that runs.
    Sleeping,
    Ok,
    Failed(String),
    Cancelled,
    Abandoned,
}

/// What a call spent a span of time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimelinePhase {
    Queued,
    Asked,
    Executing,
    Sleeping,
}

/// A span of a call's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimelineSpan {
    pub(super) phase: TimelinePhase,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

/// A call from its request to its end.
#[derive(Clone, Debug)]
pub(super) struct TimelineCall {
    pub(super) call: CallId,
    /// The tool as resolved, or as the program wrote it.
    pub(super) tool: String,
    /// One JSON text, or the size of one that was too large to keep.
    pub(super) arguments: Result<String, usize>,
    pub(super) standing: TimelineCallState,
    pub(super) requested: Timestamp,
    pub(super) ended: Option<Timestamp>,
    pub(super) spells: Vec<TimelineSpan>,
    pub(super) settled: Option<CallResult>,
    /// Whether its outcome came from the run that this one was resumed from.
    pub(super) recalled: bool,
    /// The digest of the ask that somebody approved before it went out.
    pub(super) approved: Option<String>,
}

impl TimelineCall {
    /// Returns how long it was out, or slept.
    pub(super) fn out(&self) -> Duration {
        let out = self
            .spells
            .iter()
            .filter(|it| matches!(it.phase, TimelinePhase::Executing | TimelinePhase::Sleeping));
        out.map(|spell| spell.to.since(spell.from)).sum()
    }

    pub(super) fn is_timer(&self) -> bool {
        self.tool == "pml:sleep"
    }

    /// Ends the present spell, and begins another.
    fn turn(&mut self, at: Timestamp, standing: TimelineCallState, next: Option<TimelinePhase>) {
        if self.ended.is_some() {
            return;
        }
        if let Some(spell) = self.spells.last_mut() {
            spell.to = at;
        }
        match next {
            Some(phase) => self.spells.push(TimelineSpan { phase, from: at, to: at }),
            None => self.ended = Some(at),
        }
        self.standing = standing;
    }
}

/// Folds entries into calls, in the order of their ids. What has not ended is drawn up to `until`.
pub(super) fn fold(entries: &[JournalEntry], until: Timestamp) -> Vec<TimelineCall> {
    let mut calls = BTreeMap::<CallId, TimelineCall>::new();
    for JournalEntry { at, what, .. } in entries {
        let at = *at;
        match what {
            JournalEvent::Requested { call, tool, arguments, verdict } => {
                calls.insert(*call, requested(*call, tool, arguments, verdict, at));
            }
            JournalEvent::Asked { question } => {
                for call in question.asks.iter().filter_map(|ask| ask.call) {
                    if let Some(call) = calls.get_mut(&call) {
                        call.turn(at, TimelineCallState::Asked, Some(TimelinePhase::Asked));
                    }
                }
            }
            JournalEvent::Executing { call, tool, approved, .. } => {
                if let Some(call) = calls.get_mut(call) {
                    call.approved = approved.clone();
                    call.tool = tool.to_string();
                    call.turn(at, TimelineCallState::Executing, Some(TimelinePhase::Executing));
                }
            }
            JournalEvent::Settled { call, settled } => {
                if let Some(call) = calls.get_mut(call) {
                    let standing = match settled {
                        CallResult::Value(_) => TimelineCallState::Ok,
                        CallResult::Error { code, .. } => TimelineCallState::Failed(code.clone()),
                    };
                    call.turn(at, standing, None);
                    call.settled = Some(settled.clone());
                }
            }
            JournalEvent::Cancelled { call, .. } | JournalEvent::Abandoned { call, .. } => {
                let standing = match what {
                    JournalEvent::Cancelled { .. } => TimelineCallState::Cancelled,
                    _ => TimelineCallState::Abandoned,
                };
                if let Some(call) = calls.get_mut(call) {
                    call.turn(at, standing, None);
                }
            }
            JournalEvent::Withdrawn { .. }
            | JournalEvent::Resumed { .. }
            | JournalEvent::Ended { .. } => {}
        }
    }
    for call in calls.values_mut().filter(|call| call.ended.is_none()) {
        if let Some(spell) = call.spells.last_mut() {
            spell.to = until.max(spell.from);
        }
    }
    calls.into_values().collect()
}

fn requested(
    call: CallId,
    tool: &str,
    arguments: &Result<String, usize>,
    verdict: &CallVerdict,
    at: Timestamp,
) -> TimelineCall {
    let (standing, phase) = match verdict {
        CallVerdict::Sleep { .. } => (TimelineCallState::Sleeping, TimelinePhase::Sleeping),
        _ => (TimelineCallState::Queued, TimelinePhase::Queued),
    };
    TimelineCall {
        call,
        tool: tool.into(),
        arguments: arguments.clone(),
        standing,
        requested: at,
        ended: None,
        spells: vec![TimelineSpan { phase, from: at, to: at }],
        settled: None,
        recalled: matches!(verdict, CallVerdict::Recall { .. }),
        approved: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{TimelineCallState, TimelinePhase, fold};
    use crate::runs::fixture::{self, at};
    use pml::{CallId, JournalEvent};
    use std::time::Duration;

    #[test]
    fn calls_stand_where_their_last_entry_left_them() {
        let calls = fold(&fixture::entries(), at(9_000));
        let standings: Vec<_> = calls.iter().map(|call| call.standing.clone()).collect();
        let failed = TimelineCallState::Failed("TOOL_FAILED".into());
        assert_eq!(
            standings,
            [
                TimelineCallState::Ok,
                TimelineCallState::Ok,
                failed,
                TimelineCallState::Ok,
                TimelineCallState::Abandoned
            ]
        );
        assert_eq!(calls[0].tool, "github:list_issues");
        assert_eq!(calls[1].out(), Duration::from_millis(300));
        assert!(calls[3].is_timer() && calls[3].out() == Duration::from_millis(500));
    }

    #[test]
    fn waiting_for_a_person_is_a_spell_of_its_own() {
        let calls = fold(&fixture::entries(), at(9_000));
        let phases: Vec<_> = calls[1].spells.iter().map(|spell| spell.phase).collect();
        assert_eq!(phases, [TimelinePhase::Queued, TimelinePhase::Asked, TimelinePhase::Executing]);
        assert_eq!((calls[1].spells[1].from, calls[1].spells[1].to), (at(450), at(2_000)));
    }

    #[test]
    fn what_has_not_ended_lasts_until_now() {
        let entries = fixture::entries();
        let cut = entries
            .iter()
            .position(|entry| matches!(entry.what, JournalEvent::Settled { call: CallId(2), .. }));
        let calls = fold(&entries[..cut.unwrap()], at(5_000));
        assert_eq!((&calls[1].standing, calls[1].ended), (&TimelineCallState::Executing, None));
        assert_eq!(calls[1].out(), Duration::from_millis(3_000));
    }

    #[test]
    fn entries_about_calls_that_were_never_requested_are_passed_over() {
        assert!(fold(&fixture::entries()[1..2], at(0)).is_empty());
    }
}
