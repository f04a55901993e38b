//! What clients were shown of the questions of a run.

use crate::model::{AskId, Question, QuestionId};
use std::collections::{BTreeMap, VecDeque};

/// Questions of a run of which is kept what was shown: few are open at once.
const SHOWN: usize = 16;

/// The digests of the asks that were shown, by their questions. The newest question is the last.
#[derive(Default)]
pub(super) struct ShownQuestions(VecDeque<(QuestionId, BTreeMap<AskId, String>)>);

impl ShownQuestions {
    /// Records what a client is shown of a question.
    pub(super) fn record(&mut self, question: &Question) {
        if !self.0.iter().any(|(id, _)| *id == question.id) {
            self.0.push_back((question.id, BTreeMap::new()));
        }
        let digests = question.asks.iter().map(|ask| (ask.id, ask.digest()));
        if let Some((_, asks)) = self.0.iter_mut().find(|(id, _)| *id == question.id) {
            asks.extend(digests);
        }
        if self.0.len() > SHOWN {
            self.0.pop_front();
        }
    }

    /// Returns what clients were shown of a question; `None` if it was not shown, or too long ago.
    pub(super) fn find(&self, question: QuestionId) -> Option<BTreeMap<AskId, String>> {
        self.0.iter().find(|(id, _)| *id == question).map(|(_, asks)| asks.clone())
    }
}
