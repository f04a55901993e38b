//! The one fold from entries to a timeline.

use super::call::{CallPhase, CallState, PastCall, PastCallStage};
use crate::model::{
    Ask, AskKind, CallId, CallResult, Code, Question, QuestionId, RecordedDecision, ResolvedTool,
    Timestamp,
};
use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};
use std::collections::{BTreeMap, HashSet};

/// An outcome that the program was given.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DeliveredOutcome<'a> {
    /// The call.
    pub call: CallId,
    /// The outcome, exactly as the program got it.
    pub settled: &'a CallResult,
    /// The reading of the clock that came with it.
    pub at: Timestamp,
}

/// All that the entries of a run say, by what they are about.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Timeline<'a> {
    /// The calls.
    pub calls: BTreeMap<CallId, PastCall<'a>>,
    /// The outcomes, in the order in which the program was given them.
    pub outcomes: Vec<DeliveredOutcome<'a>>,
    /// The questions, in the order in which they were asked.
    pub questions: Vec<&'a Question>,
    /// What the run had cost at the last entry.
    pub meter: Meter,
    /// The latest time of any entry.
    pub last: Timestamp,
    /// Whether any call went out.
    pub went_out: bool,
    /// How many of `outcomes` come before the last ones that were written together. What the
    /// program asked for after one of those may not have been written before the run was cut off.
    pub confirmed_outcomes: usize,
    withdrawn: HashSet<QuestionId>,
    /// Whether the last entry was an outcome.
    settling: bool,
}

impl<'a> Timeline<'a> {
    /// Folds the entries of a run. A span of a call that is not done with ends where it began.
    pub fn of(entries: &'a [JournalEntry]) -> Timeline<'a> {
        let mut timeline = Timeline::default();
        for JournalEntry { at, meter, what } in entries {
            timeline.meter = *meter;
            timeline.last = timeline.last.max(*at);
            timeline.note(*at, what);
        }
        timeline
    }

    /// Folds the entries of a run. A span of a call that is not done with lasts until `now`.
    pub fn until(entries: &'a [JournalEntry], now: Timestamp) -> Timeline<'a> {
        let mut timeline = Timeline::of(entries);
        for call in timeline.calls.values_mut().filter(|call| call.ended.is_none()) {
            let from = call.spans.last().map_or(now, |span| span.from);
            call.close_span(now.max(from));
        }
        timeline
    }

    fn note(&mut self, at: Timestamp, what: &'a JournalEvent) {
        let settling = matches!(what, JournalEvent::Settled { .. });
        if settling && !self.settling {
            self.confirmed_outcomes = self.outcomes.len();
        }
        self.settling = settling;
        match what {
            JournalEvent::Requested { call, tool, arguments, verdict } => {
                let arguments = arguments.as_deref().map_err(|size| *size);
                let mut past = PastCall::requested(*call, tool, arguments, verdict, at);
                // An earlier run made it, and nobody knew its outcome; so it is until somebody
                // does.
                past.unknown =
                    matches!(verdict, CallVerdict::Ask { kind: AskKind::UncertainCall, .. });
                self.calls.insert(*call, past);
            }
            JournalEvent::Asked { question } => {
                for call in question.asks.iter().filter_map(|ask| ask.call) {
                    if let Some(past) = self.calls.get_mut(&call) {
                        past.reached = PastCallStage::Asked(question.id);
                        past.enter(at, CallPhase::Asked);
                    }
                }
                self.questions.push(question);
            }
            JournalEvent::Executing { call, tool, origin, effects, approved } => {
                if let Some(past) = self.calls.get_mut(call) {
                    past.reached = PastCallStage::Executing;
                    past.unknown = true;
                    past.approved = approved.as_deref();
                    let found = ResolvedTool::new(tool.clone(), *effects);
                    past.sent = Some(ResolvedTool { origin: origin.clone(), ..found });
                    past.enter(at, CallPhase::Executing);
                }
                self.went_out = true;
            }
            JournalEvent::Settled { call, settled } => {
                if let Some(past) = self.calls.get_mut(call) {
                    past.unknown &= tells_nothing(settled);
                    past.settled = Some(settled);
                    past.finish(at, state_after(settled));
                }
                self.outcomes.push(DeliveredOutcome { call: *call, settled, at });
            }
            JournalEvent::Cancelled { call, .. } => self.finish(*call, at, CallState::Cancelled),
            JournalEvent::Abandoned { call, .. } => self.finish(*call, at, CallState::Abandoned),
            JournalEvent::Withdrawn { question } => drop(self.withdrawn.insert(*question)),
            JournalEvent::Resumed { .. } | JournalEvent::Ended { .. } => {}
        }
    }

    fn finish(&mut self, call: CallId, at: Timestamp, end: CallState<'a>) {
        if let Some(past) = self.calls.get_mut(&call) {
            past.finish(at, end);
        }
    }

    /// Returns what was asked last about a call, and in which question.
    pub fn asked(&self, call: CallId) -> Option<(QuestionId, &'a Ask)> {
        let questions = self.questions.iter().rev();
        let mut asks =
            questions.flat_map(|question| question.asks.iter().map(|ask| (question.id, ask)));
        asks.find(|(_, ask)| ask.call == Some(call))
    }

    /// Returns the questions that were not taken back, and of which not everything is validly
    /// `decided`.
    pub fn unanswered(&self, decided: &[RecordedDecision]) -> impl Iterator<Item = QuestionId> {
        let open = |question: &&&Question| {
            !self.withdrawn.contains(&question.id)
                && question.asks.iter().any(|ask| {
                    !decided.iter().any(|one| one.question == question.id && one.is_about(ask))
                })
        };
        self.questions.iter().filter(open).map(|question| question.id)
    }
}

fn state_after(settled: &CallResult) -> CallState<'_> {
    match settled {
        CallResult::Value(_) => CallState::Ok,
        CallResult::Error { code, .. } => CallState::Failed(code),
    }
}

/// Returns whether an outcome is ours and says nothing of what the tool did.
fn tells_nothing(settled: &CallResult) -> bool {
    let codes = [
        Code::OutcomeUnknown,
        Code::ReplySize,
        // Its answer was not read, or not kept.
        Code::CpuTime,
        Code::JournalSize,
        Code::Internal,
        // The server took the call and did not live, or take the time, to say what became of it.
        Code::ServerFailed,
        Code::CallTimeout,
    ];
    match settled {
        CallResult::Value(_) => false,
        CallResult::Error { code, .. } => codes.iter().any(|ours| ours.as_str() == code),
    }
}
