//! A journal, read: what is known of each call, and what the program was given in which order.

use crate::model::Found;
use crate::model::{Ask, AskKind, CallId, Code, Decided, Question, QuestionId, Settled, Timestamp};
use crate::store::{Entry, Meter, Verdict, What};
use std::collections::{BTreeMap, HashSet};

/// How far a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
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
pub(super) struct Past {
    pub(super) tool: String,
    pub(super) arguments: Result<String, usize>,
    pub(super) verdict: Verdict,
    pub(super) reached: Reached,
    /// The tool that it meant and what that said of its effects then, once it went out.
    pub(super) sent: Option<Found>,
    /// Whether it went out and nobody knows its outcome.
    pub(super) unknown: bool,
}

/// An outcome that the program was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) call: CallId,
    pub(super) settled: Settled,
    pub(super) at: Timestamp,
}

/// All that a journal says of a run.
#[derive(Default)]
pub(super) struct History {
    pub(super) calls: BTreeMap<CallId, Past>,
    /// In the order in which the program was given them.
    pub(super) given: Vec<Given>,
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
    pub(super) fn read(entries: Vec<Entry>) -> History {
        let mut history = History::default();
        for Entry { at, meter, what } in entries {
            history.meter = meter;
            history.last = history.last.max(at);
            history.note(at, what);
        }
        history
    }

    fn note(&mut self, at: Timestamp, what: What) {
        let settling = matches!(what, What::Settled { .. });
        if settling && !self.settling {
            self.firm = self.given.len();
        }
        self.settling = settling;
        match what {
            What::Requested { call, tool, arguments, verdict } => {
                let reached = Reached::Requested;
                // An earlier run made it, and nobody knew its outcome; so it is until somebody does.
                let unknown = matches!(verdict, Verdict::Ask { kind: AskKind::UncertainCall, .. });
                let past = Past { tool, arguments, verdict, reached, sent: None, unknown };
                self.calls.insert(call, past);
            }
            What::Asked { question } => {
                for call in question.asks.iter().filter_map(|ask| ask.call) {
                    self.reach(call, Reached::Asked(question.id));
                }
                self.questions.push(question);
            }
            What::Executing { call, tool, origin, effects, .. } => {
                self.reach(call, Reached::Executing);
                if let Some(past) = self.calls.get_mut(&call) {
                    past.sent = Some(Found { origin, ..Found::new(tool, effects) });
                }
                self.went_out = true;
            }
            What::Settled { call, settled } => {
                self.reach(call, Reached::Done);
                if let Some(past) = self.calls.get_mut(&call) {
                    past.unknown &= tells_nothing(&settled);
                }
                self.given.push(Given { call, settled, at });
            }
            What::Cancelled { call, .. } | What::Abandoned { call, .. } => {
                self.reach(call, Reached::Done);
            }
            What::Withdrawn { question } => drop(self.withdrawn.insert(question)),
            What::Resumed { .. } | What::Ended { .. } => {}
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
        decided: &'a [Decided],
    ) -> impl Iterator<Item = QuestionId> + 'a {
        let open = |question: &&Question| {
            !self.withdrawn.contains(&question.id)
                && question.asks.iter().any(|ask| {
                    !decided.iter().any(|one| one.question == question.id && one.is_about(ask))
                })
        };
        self.questions.iter().filter(open).map(|question| question.id)
    }

    fn reach(&mut self, call: CallId, reached: Reached) {
        if let Some(past) = self.calls.get_mut(&call) {
            past.reached = reached;
            past.unknown |= reached == Reached::Executing;
        }
    }
}

/// Whether an outcome is ours and says nothing of what the tool did.
fn tells_nothing(settled: &Settled) -> bool {
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
        Settled::Value(_) => false,
        Settled::Error { code, .. } => codes.iter().any(|ours| ours.as_str() == code),
    }
}
