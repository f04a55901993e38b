//! Records answers in the journal, where the first one counts.

use super::RecordError;
use crate::error::Error;
use crate::model::{Answer, Decision, Decisions, Question, QuestionId, Timestamp};
use crate::run::Engine;
use crate::store::{AnswerOutcome, StoredQuestion};

/// The result of recording an answer.
#[derive(Debug)]
pub enum RecordOutcome {
    /// The answer is in the journal.
    Recorded {
        /// The question, as the journal has it.
        question: Question,
        /// Whether every ask of the question is decided.
        settled: bool,
    },
    /// Another answer came first: this one decided nothing.
    Late {
        /// The question, as the journal has it.
        question: Question,
        /// Whether every ask of the question is decided.
        settled: bool,
    },
    /// The question no longer exists.
    Gone,
}

impl RecordOutcome {
    /// Reports whether some asks of the question are still undecided.
    pub fn is_partial(&self) -> bool {
        matches!(
            self,
            RecordOutcome::Recorded { settled: false, .. }
                | RecordOutcome::Late { settled: false, .. }
        )
    }
}

/// Records an answer to a question as it was shown. `who` answered through `channel`.
///
/// # Errors
/// If the journal fails, or its question differs from the one that was shown.
pub async fn record_answer(
    engine: &Engine,
    shown: &Question,
    decisions: Decisions,
    who: impl Into<String>,
    channel: &str,
) -> Result<RecordOutcome, RecordError> {
    let ends = match &decisions {
        Decisions::All(decision) => decision.ends_run(),
        Decisions::Each(each) => each.values().any(Decision::ends_run),
    };
    let answer = match decisions {
        Decisions::All(decision) => Answer::all(shown, decision, who, channel),
        Decisions::Each(each) => Answer::each(shown, each, who, channel),
    };
    let answered = engine.answer(shown.id, answer).await.map_err(RecordError::Journal)?;
    Ok(match answered {
        AnswerOutcome::Recorded { question, open } => {
            RecordOutcome::Recorded { question, settled: open == 0 || ends }
        }
        AnswerOutcome::Late { question, decided } => {
            let ended = decided.iter().any(|decided| decided.decision.ends_run());
            let settled = ended || decided.len() >= question.asks.len();
            RecordOutcome::Late { question, settled }
        }
        AnswerOutcome::NotShown { .. } => {
            return Err(RecordError::NotShown { question: shown.id });
        }
        AnswerOutcome::Gone => RecordOutcome::Gone,
    })
}

/// Reads a question as it is at `now`. An open one contains only the asks that are still undecided.
/// Returns `None` if there is no such question.
///
/// # Errors
/// If the journal fails.
pub async fn find_question(
    engine: &Engine,
    question: QuestionId,
    now: Timestamp,
) -> Result<Option<StoredQuestion>, Error> {
    let mut found = engine.journal().question(question, now).await?;
    if let Some(stored) = found.as_mut().filter(|stored| stored.open) {
        let StoredQuestion { question, decided, .. } = stored;
        question.asks.retain(|ask| !decided.iter().any(|decided| decided.ask == ask.id));
    }
    Ok(found)
}
