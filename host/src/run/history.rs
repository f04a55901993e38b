//! A journal, read: what is known of each call, and what the program was given in which order.

use crate::model::ResolvedTool;
use crate::model::{
    Ask, AskKind, CallId, CallResult, Code, Question, QuestionId, RecordedDecision, Timestamp,
};
use crate::store::{CallVerdict, JournalEntry, JournalEvent, Meter};
use std::collections::{BTreeMap, HashSet};

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PastCallStage {
    /// The program asked for it.
    Requested,
    /// It waits for a person.
    Asked(QuestionId),
    /// It went out.
    Executing,
    /// It is done with: settled, cancelled or abandoned.
    Done,
}

/// A call as it was written down.
#[derive(Clone, Debug)]
pub(super) struct PastCall {
    pub(super) tool: String,
    pub(super) arguments: Result<String, usize>,
    pub(super) verdict: CallVerdict,
    pub(super) reached: PastCallStage,
    /// The tool that it meant and what that said of its effects then, once it went out.
    pub(super) sent: Option<ResolvedTool>,
    /// Whether it went out and nobody knows its outcome.
    pub(super) unknown: bool,
}

/// An outcome that the program was given.
#[derive(Clone, Debug)]
pub(super) struct DeliveredOutcome {
    pub(super) call: CallId,
    pub(super) settled: CallResult,
    pub(super) at: Timestamp,
}

/// All that a journal says of a run.
#[derive(Default)]
pub(super) struct History {
    pub(super) calls: BTreeMap<CallId, PastCall>,
    /// In the order in which the program was given them.
    pub(super) given: Vec<DeliveredOutcome>,
    pub(super) questions: Vec<Question>,
    withdrawn: HashSet<QuestionId>,
    pub(super) meter: Meter,
    pub(super) last: Timestamp,
    /// Whether any call went out.
    pub(super) went_out: bool,
    /// How many of `given` come before the last ones that were noted together. What the program asked for after one of
    /// those may not have been noted before it was cut off.
    pub(super) firm: usize,
    settling: bool,
}

impl History {
    pub(super) fn read(entries: Vec<JournalEntry>) -> History {
        let mut history = History::default();
        for JournalEntry { at, meter, what } in entries {
            history.meter = meter;
            history.last = history.last.max(at);
            history.note(at, what);
        }
        history
    }

    fn note(&mut self, at: Timestamp, what: JournalEvent) {
        let settling = matches!(what, JournalEvent::Settled { .. });
        if settling && !self.settling {
            self.firm = self.given.len();
        }
        self.settling = settling;
        match what {
            JournalEvent::Requested { call, tool, arguments, verdict } => {
                let reached = PastCallStage::Requested;
                // An earlier run made it, and nobody knew its outcome; so it is until somebody does.
                let unknown =
                    matches!(verdict, CallVerdict::Ask { kind: AskKind::UncertainCall, .. });
                let past = PastCall { tool, arguments, verdict, reached, sent: None, unknown };
                self.calls.insert(call, past);
            }
            JournalEvent::Asked { question } => {
                for call in question.asks.iter().filter_map(|ask| ask.call) {
                    self.reach(call, PastCallStage::Asked(question.id));
                }
                self.questions.push(question);
            }
            JournalEvent::Executing { call, tool, origin, effects, .. } => {
                self.reach(call, PastCallStage::Executing);
                if let Some(past) = self.calls.get_mut(&call) {
                    past.sent = Some(ResolvedTool { origin, ..ResolvedTool::new(tool, effects) });
                }
                self.went_out = true;
            }
            JournalEvent::Settled { call, settled } => {
                self.reach(call, PastCallStage::Done);
                if let Some(past) = self.calls.get_mut(&call) {
                    past.unknown &= tells_nothing(&settled);
                }
                self.given.push(DeliveredOutcome { call, settled, at });
            }
            JournalEvent::Cancelled { call, .. } | JournalEvent::Abandoned { call, .. } => {
                self.reach(call, PastCallStage::Done);
            }
            JournalEvent::Withdrawn { question } => drop(self.withdrawn.insert(question)),
            JournalEvent::Resumed { .. } | JournalEvent::Ended { .. } => {}
        }
    }

    /// What was asked last about a call, and in which question.
    pub(super) fn asked(&self, call: CallId) -> Option<(QuestionId, &Ask)> {
        let asks = self
            .questions
            .iter()
            .rev()
            .flat_map(|question| question.asks.iter().map(|ask| (question.id, ask)));
        asks.into_iter().find(|(_, ask)| ask.call == Some(call))
    }

    /// The questions that were not taken back, and of which not everything is validly `decided`.
    pub(super) fn unanswered<'a>(
        &'a self,
        decided: &'a [RecordedDecision],
    ) -> impl Iterator<Item = QuestionId> + 'a {
        let open = |question: &&Question| {
            !self.withdrawn.contains(&question.id)
                && question.asks.iter().any(|ask| {
                    !decided.iter().any(|one| one.question == question.id && one.is_about(ask))
                })
        };
        self.questions.iter().filter(open).map(|question| question.id)
    }

    fn reach(&mut self, call: CallId, reached: PastCallStage) {
        if let Some(past) = self.calls.get_mut(&call) {
            past.reached = reached;
            past.unknown |= reached == PastCallStage::Executing;
        }
    }
}

/// Whether an outcome is ours and says nothing of what the tool did.
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
