//! Formats one run with all its details as JSON.

use super::list::summary;
use super::show::RunDetails;
use pml::journal::{CallPhase, CallState, PastCall};
use pml::json::{self, Value, json};
use pml::{
    Decision, Question,
    approval::{Need, RecordedDecision, words_of_constraints},
    journal::{CallResult, StoredQuestion},
    text::{Redactor, milliseconds},
};

impl RunDetails {
    /// Returns all details, with secrets hidden in arguments and results.
    pub(super) fn json(&self, redactor: &Redactor) -> Value {
        let header = &self.stored.header;
        let mut all = summary(&self.summary);
        all["pml"] = json!(header.pml);
        all["guest_sha256"] = json!(header.guest);
        all["trace"] = json!(header.trace);
        all["inputs"] = redacted(&header.inputs, redactor);
        let timeline = self.timeline();
        all["calls"] = timeline.calls.values().map(|it| call(it, redactor)).collect();
        let questions = timeline.questions.iter();
        all["questions"] = questions.map(|question| self.asked(question, redactor)).collect();
        all["ending"] = self.ending().map(|ending| redactor.redact(&ending)).into();
        all
    }

    fn asked(&self, question: &Question, redactor: &Redactor) -> Value {
        let decided = self.decided.iter().filter(|it| it.question == question.id);
        let decided: Vec<_> = decided.cloned().collect();
        asked(question, &decided, redactor)
    }
}

/// Returns a question of the journal as JSON, with its decisions.
pub(crate) fn open(asked: &StoredQuestion, redactor: &Redactor) -> Value {
    self::asked(&asked.question, &asked.decided, redactor)
}

/// Returns a new question as JSON. It has no decisions yet.
pub(crate) fn question(question: &Question, redactor: &Redactor) -> Value {
    asked(question, &[], redactor)
}

fn asked(question: &Question, decided: &[RecordedDecision], redactor: &Redactor) -> Value {
    let asks = question.asks.iter().map(|ask| {
        let said = decided.iter().find(|decided| decided.ask == ask.id);
        json!({
            "id": ask.id,
            "kind": ask.kind,
            "call": ask.call,
            "tool": ask.tool,
            "digest": ask.digest(),
            "arguments": redactor.redact(&ask.arguments),
            "reason": ask.reason,
            "need": match &ask.need {
                // Keys in it were hidden when it was written; the rest must be shown.
                need @ Some(Need::Trust(_)) => json!(need),
                need => redactor.redact(&json!(need)),
            },
            "decided": said.map(|decided| decision(decided, redactor)),
        })
    });
    json!({
        "workflow_id": question.id,
        "run_id": question.run,
        "script": question.script,
        "asked_at": question.asked_at.to_string(),
        "expires_at": question.expires_at.map(|at| at.to_string()),
        "asks": asks.collect::<Vec<_>>(),
    })
}

fn decision(decided: &RecordedDecision, redactor: &Redactor) -> Value {
    let (result, only_for) = match &decided.decision {
        Decision::Result(result) => (Some(redactor.redact(result)), None),
        Decision::AlwaysWithin(constraints) => (None, Some(words_of_constraints(constraints))),
        _ => (None, None),
    };
    json!({
        "decision": decided.decision.name(),
        "result": result,
        "only_for": only_for,
        "who": decided.who,
        "channel": decided.channel,
        "at": decided.at.to_string(),
        "digest": decided.digest,
    })
}

fn call(call: &PastCall<'_>, redactor: &Redactor) -> Value {
    let (standing, code) = match call.state() {
        CallState::Queued => ("queued", None),
        CallState::Asked => ("asked", None),
        CallState::Executing => ("executing", None),
        CallState::Sleeping => ("sleeping", None),
        CallState::Ok => ("ok", None),
        CallState::Failed(code) => ("failed", Some(code)),
        CallState::Cancelled => ("cancelled", None),
        CallState::Abandoned => ("abandoned", None),
    };
    let (result, error) = match call.settled {
        Some(CallResult::Value(text)) => (redacted(text, redactor), Value::Null),
        Some(CallResult::Error { message, data, .. }) => {
            let data = data.as_deref().map(|data| redacted(data, redactor));
            let message = redactor.redact_text(message);
            (Value::Null, json!({ "code": code, "message": message, "data": data }))
        }
        _ => (Value::Null, Value::Null),
    };
    let waited = call.time_in(CallPhase::Asked);
    json!({
        "call": call.call,
        "tool": call.tool_name(),
        "standing": standing,
        "recalled": call.is_recalled(),
        "approved": call.approved,
        "requested": call.requested.to_string(),
        "ended": call.ended.map(|at| at.to_string()),
        "out_ms": milliseconds(call.active_time()),
        "waited_for_people_ms": milliseconds(waited),
        "arguments": call.arguments.map_or(Value::Null, |text| redacted(text, redactor)),
        "result": result,
        "error": error,
    })
}

/// Parses a JSON text and hides secrets in it. Returns null if it is nested too deeply.
fn redacted(text: &str, redactor: &Redactor) -> Value {
    json::from_str(text).map_or(Value::Null, |value| redactor.redact(&value))
}
