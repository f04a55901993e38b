//! An answer on its way into the journal, where the first one counts.

use super::door::Visit;
use crate::{
    Answer, Answered, Clock, Decision, Decisions, Error, Question, QuestionId, SystemClock,
};

/// What became of an answer.
pub(super) struct Recorded {
    pub(super) question: Question,
    /// Whether nothing of the question is left to decide.
    pub(super) settled: bool,
    /// Whether somebody was faster.
    pub(super) late: bool,
}

/// Records an answer; nothing if there is no such question any more.
pub(super) async fn record(
    visit: &Visit,
    question: QuestionId,
    decisions: Decisions,
    who: String,
    channel: &str,
) -> Result<Option<Recorded>, Error> {
    let ends = match &decisions {
        Decisions::All(decision) => decision.ends(),
        Decisions::Each(each) => each.values().any(Decision::ends),
    };
    let answer = match decisions {
        Decisions::All(decision) => Answer::all(decision, who, channel),
        Decisions::Each(each) => Answer::each(each, who, channel),
    };
    Ok(match visit.engine.answer(question, answer).await? {
        Answered::Recorded { question, open } => {
            Some(Recorded { question, settled: open == 0 || ends, late: false })
        }
        Answered::Late { question, decided } => {
            let ended = decided.iter().any(|decided| decided.decision.ends());
            let settled = ended || decided.len() >= question.asks.len();
            Some(Recorded { question, settled, late: true })
        }
        Answered::Gone => None,
    })
}

/// Reads a question and whether it is open; of an open one only what is still to be decided.
pub(super) async fn look_up(
    visit: &Visit,
    question: QuestionId,
) -> Result<Option<(Question, bool)>, Error> {
    let asked = visit.engine.journal().question(question, SystemClock.now()).await?;
    Ok(asked.map(|asked| {
        let mut question = asked.question;
        if asked.open {
            let decided = |ask| asked.decided.iter().any(|decided| decided.ask == ask);
            question.asks.retain(|ask| !decided(ask.id));
        }
        (question, asked.open)
    }))
}
