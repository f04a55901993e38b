//! The asks of a run's questions that clients were shown.

use crate::model::{AskId, Question, QuestionId};
use std::collections::{BTreeMap, VecDeque};

/// Number of questions of a run whose shown asks are stored: few are open at once.
const MAX_QUESTIONS: usize = 16;

/// The digests of the asks that were shown, by question. The newest question is the last.
#[derive(Default)]
pub(super) struct ShownQuestions(VecDeque<(QuestionId, BTreeMap<AskId, String>)>);

impl ShownQuestions {
    /// Records the asks of a question that a client is shown.
    pub(super) fn record(&mut self, question: &Question) {
        if !self.0.iter().any(|(id, _)| *id == question.id) {
            self.0.push_back((question.id, BTreeMap::new()));
        }
        let digests = question.asks.iter().map(|ask| (ask.id, ask.digest()));
        if let Some((_, asks)) = self.0.iter_mut().find(|(id, _)| *id == question.id) {
            asks.extend(digests);
        }
        if self.0.len() > MAX_QUESTIONS {
            self.0.pop_front();
        }
    }

    /// Returns the asks that clients were shown of a question. Returns `None` if it was not shown,
    /// or too long ago.
    pub(super) fn find(&self, question: QuestionId) -> Option<BTreeMap<AskId, String>> {
        self.0.iter().find(|(id, _)| *id == question).map(|(_, asks)| asks.clone())
    }
}
