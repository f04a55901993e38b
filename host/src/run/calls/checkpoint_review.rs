//! Applies the checkpoint of an earlier run to a new program: recalls outcomes, and finds calls
//! with effects that the program does not make again.
//!
//! **Invariant:** while the review is pending, no call is sent. It ends when the program has used
//! all that it can, and a person has dismissed each call with effects that is left.

use super::attempts::MOST_ATTEMPTS;
use crate::model::{Ask, AskId, CallId, Effects, Question, QuestionId, RecordedDecision, ToolName};
use crate::router::{Resolution, Router};
use crate::run::checkpoint::{Checkpoint, CheckpointOutcome, UnmatchedCall};
use crate::store::PastCall;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The question about calls of the checkpoint that the program did not make again.
struct CheckpointQuestion {
    question: QuestionId,
    /// The asks without a decision.
    open: BTreeSet<AskId>,
}

impl CheckpointQuestion {
    fn new(question: &Question) -> CheckpointQuestion {
        let open = question.asks.iter().filter(|ask| ask.call.is_none()).map(|ask| ask.id);
        CheckpointQuestion { question: question.id, open: open.collect() }
    }
}

/// The checkpoint of a run, and how far it is used. Empty for a run without one.
#[derive(Default)]
pub(super) struct CheckpointReview {
    checkpoint: Option<Checkpoint>,
    /// Outcomes that the program has asked for, by their order in the earlier run.
    recalled: BTreeMap<u64, (CallId, CheckpointOutcome)>,
    question: Option<CheckpointQuestion>,
    /// How many decisions were not about what was asked.
    mismatched: u32,
    /// The digests of calls that a person has dismissed, and how many such calls each question
    /// was about.
    dismissed: HashMap<String, HashMap<QuestionId, usize>>,
    /// The effects of tools that only the checkpoint mentions; `None` while they are looked up.
    effects: HashMap<ToolName, Option<Effects>>,
}

impl CheckpointReview {
    pub(super) fn new(checkpoint: Option<Checkpoint>) -> CheckpointReview {
        CheckpointReview { checkpoint, ..CheckpointReview::default() }
    }

    pub(super) fn has_checkpoint(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Reports whether calls are held back because the checkpoint is not used up.
    pub(super) fn is_pending(&self) -> bool {
        self.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.passed())
    }

    /// Recalls the outcome of a call. Returns its number in the checkpoint.
    pub(super) fn recall(&mut self, id: CallId, tool: &str, arguments: &str) -> Option<u64> {
        let outcome = self.checkpoint.as_mut()?.take(tool, arguments)?;
        let number = outcome.number;
        self.recalled.insert(outcome.order, (id, outcome));
        Some(number)
    }

    /// Recalls an outcome that the run had asked for before it was rebuilt.
    pub(super) fn restore(&mut self, id: CallId, past: &PastCall<'_>, number: u64) {
        let outcome = self.checkpoint.as_mut().and_then(|old| old.take_again(past, number));
        if let Some(outcome) = outcome {
            self.recalled.insert(outcome.order, (id, outcome));
        }
    }

    /// Takes the first outcome that was recalled.
    pub(super) fn next_recalled(&mut self) -> Option<(CallId, CheckpointOutcome)> {
        self.recalled.pop_first().map(|(_, recalled)| recalled)
    }

    /// Reports whether the earlier run made this call and its outcome is unknown. Each such call
    /// counts once.
    pub(super) fn take_unknown(&mut self, tool: &ToolName, arguments: &str) -> bool {
        let checkpoint = self.checkpoint.as_mut();
        checkpoint.is_some_and(|past| past.take_unknown(tool.as_str(), arguments))
    }

    /// Returns tools that only read according to the journal, and whose current effects are
    /// unknown: their servers are started before a person is asked about what they did.
    pub(super) fn unknown_readers(&self, router: &Router) -> BTreeSet<ToolName> {
        let readers = self.checkpoint.iter().flat_map(|past| past.readers());
        let unknown = readers.filter(|tool| {
            !self.effects.contains_key(tool)
                && router.denied(tool).is_none()
                && matches!(router.route(tool.clone()).look_up(), Resolution::Pending)
        });
        unknown.collect()
    }

    /// Notes the effects of a tool; `None` while they are looked up.
    pub(super) fn note_effects(&mut self, tool: ToolName, effects: Option<Effects>) {
        self.effects.insert(tool, effects);
    }

    /// Ends the review if no call is left that a person must see. Returns whether it has.
    pub(super) fn end_if_clear(&mut self, router: &Router) -> bool {
        let clear = self.undismissed(router).is_empty();
        if let (true, Some(checkpoint)) = (clear, &mut self.checkpoint) {
            checkpoint.pass();
        }
        clear
    }

    /// Returns the calls with effects that the program has not asked for again.
    pub(super) fn unmatched(&self, router: &Router) -> Vec<UnmatchedCall> {
        let effects = |tool: &ToolName| {
            let noted = self.effects.get(tool).copied().flatten();
            noted.unwrap_or_else(|| router.route(tool.clone()).effects_now())
        };
        self.checkpoint.as_ref().map_or(Vec::new(), |past| past.unmatched(effects))
    }

    /// Returns the unmatched calls that nobody has dismissed.
    fn undismissed(&self, router: &Router) -> Vec<UnmatchedCall> {
        let most = |of_questions: &HashMap<QuestionId, usize>| of_questions.values().max().copied();
        let dismissed = self.dismissed.iter();
        let dismissed = dismissed.map(|(digest, times)| (digest, most(times).unwrap_or(0)));
        let mut dismissed: HashMap<_, _> = dismissed.collect();
        let mut left = self.unmatched(router);
        // Of equal calls, as many are dismissed as were decided about.
        left.retain(|one| match dismissed.get_mut(&one.ask().digest()) {
            Some(times) if *times > 0 => {
                *times -= 1;
                false
            }
            _ => true,
        });
        left
    }

    /// Returns the asks that no question has been written for yet.
    pub(super) fn unasked(&self, router: &Router) -> Vec<Ask> {
        match &self.question {
            None if self.is_pending() => {
                self.undismissed(router).iter().map(UnmatchedCall::ask).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Notes that a question was asked.
    pub(super) fn asked(&mut self, question: &Question) {
        if is_about_the_checkpoint(question) {
            self.question = Some(CheckpointQuestion::new(question));
        }
    }

    /// Notes the last question about the checkpoint, if one was asked before the run was rebuilt.
    pub(super) fn restore_question(&mut self, questions: &[Question]) {
        let last = questions.iter().rev().find(|question| is_about_the_checkpoint(question));
        self.question = last.map(CheckpointQuestion::new);
    }

    /// Reports whether the run waits for this question.
    pub(super) fn waits_for(&self, question: QuestionId) -> bool {
        self.is_pending() && self.question.as_ref().is_some_and(|asked| asked.question == question)
    }

    /// Dismisses a call of the checkpoint for a person. Returns whether the decision settled an
    /// ask.
    pub(super) fn dismiss(&mut self, ask: &Ask, decided: &RecordedDecision) -> bool {
        let about_it = decided.is_about(ask);
        if let (true, Some(digest)) = (about_it, &decided.digest) {
            let of_question = self.dismissed.entry(digest.clone()).or_default();
            *of_question.entry(decided.question).or_default() += 1;
        }
        let asked = self.question.as_mut().filter(|asked| asked.question == decided.question);
        let Some(asked) = asked else { return false };
        if !asked.open.remove(&decided.ask) {
            return false;
        }
        // Calls that nobody has dismissed are asked about again, but not for ever.
        self.mismatched += u32::from(!about_it);
        if asked.open.is_empty() && self.mismatched <= MOST_ATTEMPTS {
            self.question = None;
        }
        about_it
    }
}

fn is_about_the_checkpoint(question: &Question) -> bool {
    question.asks.iter().any(|ask| ask.call.is_none())
}
