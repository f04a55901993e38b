//! An answer on its way into the journal, where the first one counts.

use crate::server::RequestScope;
use pml::{
    Answer, AnswerOutcome, Code, Decision, Decisions, Error, Question, QuestionId, Timestamp,
    escape,
};

/// What became of an answer.
pub(super) struct RecordedAnswer {
    pub(super) question: Question,
    /// Whether nothing of the question is left to decide.
    pub(super) settled: bool,
    /// Whether somebody was faster.
    pub(super) late: bool,
}

/// Records an answer to a question as it was shown; nothing if there is no such question any more.
///
/// # Errors
/// If the journal fails, or has another question by now than the one that was shown.
pub(super) async fn record(
    visit: &RequestScope,
    shown: &Question,
    decisions: Decisions,
    who: String,
    channel: &str,
) -> Result<Option<RecordedAnswer>, Error> {
    let ends = match &decisions {
        Decisions::All(decision) => decision.ends(),
        Decisions::Each(each) => each.values().any(Decision::ends),
    };
    let answer = match decisions {
        Decisions::All(decision) => Answer::all(shown, decision, who, channel),
        Decisions::Each(each) => Answer::each(shown, each, who, channel),
    };
    let (who, said) = (escape(&answer.who).into_owned(), told(&answer.decisions));
    let question = shown.id;
    let answered = visit.engine.answer(question, answer).await?;
    if let AnswerOutcome::Recorded { .. } = answered {
        visit.door.notice(&format!("question {question}: {said}, by {who} ({channel})"));
    }
    Ok(match answered {
        AnswerOutcome::Recorded { question, open } => {
            Some(RecordedAnswer { question, settled: open == 0 || ends, late: false })
        }
        AnswerOutcome::Late { question, decided } => {
            let ended = decided.iter().any(|decided| decided.decision.ends());
            let settled = ended || decided.len() >= question.asks.len();
            Some(RecordedAnswer { question, settled, late: true })
        }
        AnswerOutcome::NotShown { .. } => {
            visit.door.notice(&format!("question {question}: refused from {who}: {NOT_SHOWN}"));
            return Err(not_shown());
        }
        AnswerOutcome::Gone => None,
    })
}

/// Why an answer to another question than the one that was shown counts for nothing.
const NOT_SHOWN: &str = "the question is not the one that was shown";

/// The error of who answers another question than the one that was shown.
pub(super) fn not_shown() -> Error {
    Error::new(Code::Integrity, format!("{NOT_SHOWN}: nothing was recorded"))
        .with_hint("`pml approvals` shows what is asked now")
}

/// Reads a question and whether it is open at `now`; of an open one only what is still to be decided.
pub(super) async fn look_up(
    visit: &RequestScope,
    question: QuestionId,
    now: Timestamp,
) -> Result<Option<(Question, bool)>, Error> {
    let asked = visit.engine.journal().question(question, now).await?;
    Ok(asked.map(|asked| {
        let mut question = asked.question;
        if asked.open {
            let decided = |ask| asked.decided.iter().any(|decided| decided.ask == ask);
            question.asks.retain(|ask| !decided(ask.id));
        }
        (question, asked.open)
    }))
}

/// What was decided, for a log: nothing of what it was about.
fn told(decisions: &Decisions) -> String {
    let word = |decision: &Decision| match decision {
        Decision::Approve => "approve",
        Decision::Always => "always",
        Decision::AlwaysWithin(_) => "always, under conditions",
        Decision::Decline => "decline",
        Decision::Result(_) => "a given result",
        Decision::Abort => "abort",
        Decision::Replan => "replan",
    };
    match decisions {
        Decisions::All(decision) => word(decision).into(),
        Decisions::Each(each) => {
            let each = each.iter().map(|(ask, decision)| format!("ask {ask} {}", word(decision)));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}
