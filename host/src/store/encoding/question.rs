//! Questions and decisions as plain fields.

use super::number::{json, signed, unsigned};
use crate::model::{AskId, Question, QuestionId, RecordedDecision, RunId, Timestamp};
use std::borrow::Cow;

/// Returns a question as one JSON text.
pub(in crate::store) fn encode_question(question: &Question) -> String {
    json(question)
}

/// Decodes a question. Its id and its run are those of the database row, because answers and runs
/// are looked up by them.
pub(in crate::store) fn decode_question(
    text: &str,
    id: QuestionId,
    run: RunId,
) -> Result<Question, String> {
    let question: Question = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(Question { id, run, ..question })
}

/// A decision as plain fields, without the id of its question.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct EncodedDecision<'a> {
    pub(in crate::store) ask: u32,
    /// One JSON text.
    pub(in crate::store) decision: Cow<'a, str>,
    pub(in crate::store) who: Cow<'a, str>,
    pub(in crate::store) channel: Cow<'a, str>,
    pub(in crate::store) at: i64,
    pub(in crate::store) digest: Option<Cow<'a, str>>,
}

impl<'a> EncodedDecision<'a> {
    /// Encodes a decision.
    pub(in crate::store) fn of(decided: &'a RecordedDecision) -> EncodedDecision<'a> {
        EncodedDecision {
            ask: decided.ask.0,
            decision: json(&decided.decision).into(),
            who: (&decided.who).into(),
            channel: (&decided.channel).into(),
            at: signed(decided.at.0),
            digest: decided.digest.as_ref().map(Cow::from),
        }
    }

    /// Decodes a decision about a question. The error describes the damage to `decision`, the one
    /// field that can be invalid.
    pub(in crate::store) fn decode(self, question: QuestionId) -> Result<RecordedDecision, String> {
        let decision = serde_json::from_str(&self.decision).map_err(|error| error.to_string())?;
        let (ask, at) = (AskId(self.ask), Timestamp(unsigned(self.at)));
        let decided = RecordedDecision::new(question, ask, decision, self.who, self.channel, at);
        Ok(decided.with_digest(self.digest.map(Cow::into_owned)))
    }
}
