//! Folds the entries of a run into a timeline.

use super::call::{CallPhase, CallState, PastCall, PastCallStage};
use crate::model::{
    Ask, AskKind, CallId, CallResult, Code, Need, Question, QuestionId, RecordedDecision,
    ResolvedTool, Timestamp,
};
use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};
use std::collections::{BTreeMap, HashSet};

/// An outcome that was delivered to the program.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DeliveredOutcome<'a> {
    /// The call.
    pub call: CallId,
    /// The outcome, exactly as the program got it.
    pub settled: &'a CallResult,
    /// The clock reading that was delivered with it.
    pub at: Timestamp,
}

/// The content of a run's entries, arranged by what they are about.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Timeline<'a> {
    /// The calls.
    pub calls: BTreeMap<CallId, PastCall<'a>>,
    /// The outcomes, in the order in which they were delivered to the program.
    pub outcomes: Vec<DeliveredOutcome<'a>>,
    /// The questions, in the order in which they were asked.
    pub questions: Vec<&'a Question>,
    /// The resources that the run had used at the last entry.
    pub meter: Meter,
    /// The latest time of any entry.
    pub latest_time: Timestamp,
    /// True if any call was sent.
    pub any_call_sent: bool,
    /// The number of `outcomes` that precede the last group written together. Requests that the
    /// program made after an outcome of that group may be missing if the run was cut off.
    pub confirmed_outcomes: usize,
    withdrawn: HashSet<QuestionId>,
    /// The times at which a process resumed the run.
    resumed: Vec<Timestamp>,
    /// True if the last entry was an outcome.
    last_is_outcome: bool,
}

impl<'a> Timeline<'a> {
    /// Folds the entries of a run. The last span of a call that has not ended has no length.
    pub fn of(entries: &'a [JournalEntry]) -> Timeline<'a> {
        let mut timeline = Timeline::default();
        for JournalEntry { at, meter, event: what } in entries {
            timeline.meter = *meter;
            timeline.latest_time = timeline.latest_time.max(*at);
            timeline.apply(*at, what);
        }
        timeline
    }

    /// Folds the entries of a run. The last span of a call that has not ended lasts until `now`.
    pub fn until(entries: &'a [JournalEntry], now: Timestamp) -> Timeline<'a> {
        let mut timeline = Timeline::of(entries);
        for call in timeline.calls.values_mut().filter(|call| call.ended.is_none()) {
            let from = call.spans.last().map_or(now, |span| span.from);
            call.close_span(now.max(from));
        }
        timeline
    }

    /// Ends each wait for a person at the moment of their decision. What followed is another phase:
    /// the package was installed, the server was started, or the call waited for room.
    #[must_use]
    pub fn with_decisions(mut self, decided: &[RecordedDecision]) -> Timeline<'a> {
        for question in &self.questions {
            for ask in &question.asks {
                let one =
                    decided.iter().find(|one| one.question == question.id && one.is_about(ask));
                let (Some(decided), Some(call)) = (one, ask.call) else { continue };
                let Some(past) = self.calls.get_mut(&call) else { continue };
                let phase = match &ask.need {
                    Some(Need::Install(_)) => CallPhase::Installing,
                    Some(Need::Trust(_) | Need::Variables(_)) => CallPhase::Starting,
                    Some(Need::Change(_)) | None => CallPhase::Queued,
                };
                past.split_wait(decided.at, phase, &self.resumed);
                past.split_installation();
            }
        }
        self
    }

    fn apply(&mut self, at: Timestamp, what: &'a JournalEvent) {
        let is_outcome = matches!(what, JournalEvent::Settled { .. });
        if is_outcome && !self.last_is_outcome {
            self.confirmed_outcomes = self.outcomes.len();
        }
        self.last_is_outcome = is_outcome;
        match what {
            JournalEvent::Requested { call, tool, arguments, verdict } => {
                let arguments = arguments.as_deref().map_err(|size| *size);
                let mut past = PastCall::requested(*call, tool, arguments, verdict, at);
                // An earlier run made the call, and its outcome is unknown until an entry here
                // settles it.
                past.outcome_unknown =
                    matches!(verdict, CallVerdict::Ask { kind: AskKind::UncertainCall, .. });
                self.calls.insert(*call, past);
            }
            JournalEvent::Asked { question } => {
                for ask in &question.asks {
                    if let Some(past) = ask.call.and_then(|call| self.calls.get_mut(&call)) {
                        if matches!(ask.need, Some(Need::Install(_))) {
                            past.note_install();
                        }
                        past.stage = PastCallStage::Asked(question.id);
                        past.enter(at, CallPhase::Asked);
                    }
                }
                self.questions.push(question);
            }
            JournalEvent::Executing { call, tool, origin, effects, approved, installed_at } => {
                if let Some(past) = self.calls.get_mut(call) {
                    past.stage = PastCallStage::Executing;
                    past.outcome_unknown = true;
                    past.approved = approved.as_deref();
                    let found = ResolvedTool::new(tool.clone(), *effects);
                    past.sent = Some(ResolvedTool { origin: origin.clone(), ..found });
                    if let Some(installed) = installed_at {
                        past.note_install();
                        past.installed_at = Some(*installed);
                    }
                    past.enter(at, CallPhase::Executing);
                    past.split_installation();
                }
                self.any_call_sent = true;
            }
            JournalEvent::Settled { call, settled } => {
                if let Some(past) = self.calls.get_mut(call) {
                    past.outcome_unknown &= leaves_outcome_unknown(settled);
                    past.settled = Some(settled);
                    past.finish(at, state_after(settled));
                }
                self.outcomes.push(DeliveredOutcome { call: *call, settled, at });
            }
            JournalEvent::Cancelled { call, .. } => self.finish(*call, at, CallState::Cancelled),
            JournalEvent::Abandoned { call, .. } => self.finish(*call, at, CallState::Abandoned),
            JournalEvent::Withdrawn { question } => drop(self.withdrawn.insert(*question)),
            JournalEvent::Resumed { .. } => self.resumed.push(at),
            JournalEvent::Ended { .. } => {}
        }
    }

    fn finish(&mut self, call: CallId, at: Timestamp, end: CallState<'a>) {
        if let Some(past) = self.calls.get_mut(&call) {
            past.finish(at, end);
        }
    }

    /// Returns the last ask about a call, and its question.
    pub fn last_ask(&self, call: CallId) -> Option<(QuestionId, &'a Ask)> {
        let questions = self.questions.iter().rev();
        let mut asks =
            questions.flat_map(|question| question.asks.iter().map(|ask| (question.id, ask)));
        asks.find(|(_, ask)| ask.call == Some(call))
    }

    /// Returns the questions that were not withdrawn, and that have an ask without a valid decision
    /// in `decided`.
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

/// Reports whether an outcome is an error of pml's own that does not say what the tool did.
fn leaves_outcome_unknown(settled: &CallResult) -> bool {
    let codes = [
        Code::OutcomeUnknown,
        Code::ReplySize,
        // The reply was not read, or not stored.
        Code::CpuTime,
        Code::JournalSize,
        Code::Internal,
        // The server received the call, but died or timed out before it replied.
        Code::ServerFailed,
        Code::CallTimeout,
    ];
    match settled {
        CallResult::Value(_) => false,
        CallResult::Error { code, .. } => codes.iter().any(|ours| ours.as_str() == code),
    }
}
