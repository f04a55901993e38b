//! Formats one run with all its details as JSON.

use super::list::summary_json;
use super::show::RunDetails;
use crate::outcome_json::failure_report;
use crate::present_fields::present_fields;
use pml::journal::{CallPhase, CallState, PastCall};
use pml::json::{self, Value, json};
use pml::{
    Decision, Failure, Question,
    approval::{Need, RecordedDecision, describe_constraints},
    journal::{CallResult, StoredQuestion},
    text::{Redactor, milliseconds},
};

impl RunDetails {
    /// Returns all details, with secrets hidden in arguments and results.
    pub(super) fn json(&self, redactor: &Redactor) -> Value {
        let header = &self.stored.header;
        let mut all = summary_json(&self.summary);
        all["pml"] = json!(header.pml);
        all["guest_sha256"] = json!(header.guest);
        all["trace"] = json!(header.trace);
        all["inputs"] = redacted_json(&header.inputs, redactor);
        let timeline = self.timeline();
        all["calls"] = timeline.calls.values().map(|it| call_json(it, redactor)).collect();
        let questions = timeline.questions.iter();
        all["questions"] =
            questions.map(|question| self.asked_question_json(question, redactor)).collect();
        all["ending"] = self.ending().map(|ending| redactor.redact(&ending_json(ending))).into();
        present_fields(all)
    }

    fn asked_question_json(&self, question: &Question, redactor: &Redactor) -> Value {
        let decided = self.decided.iter().filter(|it| it.question == question.id);
        let decided: Vec<_> = decided.cloned().collect();
        question_with_decisions(question, &decided, redactor)
    }
}

/// Returns an ending of the journal as JSON: a failure with the fields of every error.
fn ending_json(mut ending: Value) -> Value {
    let failed = ending.get("failed").cloned().unwrap_or_default();
    if let Ok(failure) = json::from_value::<Failure>(failed) {
        ending["failed"] = json!(failure_report(&failure));
    }
    ending
}

/// Returns a question of the journal as JSON, with its decisions.
pub(crate) fn stored_question_json(stored: &StoredQuestion, redactor: &Redactor) -> Value {
    question_with_decisions(&stored.question, &stored.decided, redactor)
}

/// Returns a new question as JSON. It has no decisions yet.
pub(crate) fn question_json(question: &Question, redactor: &Redactor) -> Value {
    question_with_decisions(question, &[], redactor)
}

fn question_with_decisions(
    question: &Question,
    decided: &[RecordedDecision],
    redactor: &Redactor,
) -> Value {
    let asks = question.asks.iter().map(|ask| {
        let recorded = decided.iter().find(|decided| decided.ask == ask.id);
        let mut asked = json!({
            "id": ask.id,
            "type": ask.kind,
            "call": ask.call,
            "tool": ask.tool,
            "digest": ask.digest(),
            "arguments": redactor.redact(&ask.arguments),
            "reason": ask.reason,
        });
        match &ask.need {
            None => {}
            // Keys in it were hidden when it was written; the rest must be shown.
            Some(need @ Need::Trust(_)) => asked["need"] = json!(need),
            Some(need) => asked["need"] = redactor.redact(&json!(need)),
        }
        if let Some(decided) = recorded {
            asked["decided"] = decision_json(decided, redactor);
        }
        present_fields(asked)
    });
    present_fields(json!({
        "workflow_id": question.id,
        "run_id": question.run,
        "script": question.script,
        "asked_at": question.asked_at.to_string(),
        "expires_at": question.expires_at.map(|at| at.to_string()),
        "asks": asks.collect::<Vec<_>>(),
    }))
}

fn decision_json(decided: &RecordedDecision, redactor: &Redactor) -> Value {
    let only_for = match &decided.decision {
        Decision::AlwaysWithin(constraints) => Some(describe_constraints(constraints)),
        _ => None,
    };
    let mut decision = present_fields(json!({
        "decision": decided.decision.name(),
        "only_for": only_for,
        "who": decided.who,
        "channel": decided.channel,
        "at": decided.at.to_string(),
        "digest": decided.digest,
    }));
    // A result may be null.
    if let Decision::Result(result) = &decided.decision {
        decision["result"] = redactor.redact(result);
    }
    decision
}

fn call_json(call: &PastCall<'_>, redactor: &Redactor) -> Value {
    let (state, code) = match call.state() {
        CallState::Queued => ("queued", None),
        CallState::Starting => ("starting", None),
        CallState::Asked => ("asked", None),
        CallState::Executing => ("executing", None),
        CallState::Sleeping => ("sleeping", None),
        CallState::Ok => ("ok", None),
        CallState::Failed(code) => ("failed", Some(code)),
        CallState::Cancelled => ("cancelled", None),
        CallState::Abandoned => ("abandoned", None),
    };
    let waited = call.time_in(CallPhase::Asked);
    let mut shown = present_fields(json!({
        "call": call.call,
        "tool": call.tool_name(),
        "standing": state,
        "recalled": call.is_recalled(),
        "approved": call.approved,
        "requested": call.requested.to_string(),
        "ended": call.ended.map(|at| at.to_string()),
        "out_ms": milliseconds(call.active_time()),
        "waited_for_people_ms": milliseconds(waited),
        "starting_ms": milliseconds(call.time_in(CallPhase::Starting)),
        "installing_ms": milliseconds(call.time_in(CallPhase::Installing)),
        "arguments": call.arguments.ok().map(|text| redacted_json(text, redactor)),
    }));
    match call.settled {
        // A result may be null.
        Some(CallResult::Value(text)) => shown["result"] = redacted_json(text, redactor),
        Some(CallResult::Error { message, data, .. }) => {
            let data = data.as_deref().map(|data| redacted_json(data, redactor));
            let message = redactor.redact_text(message);
            let error = json!({ "code": code, "message": message, "data": data });
            shown["error"] = present_fields(error);
        }
        _ => {}
    }
    shown
}

/// Parses a JSON text and hides secrets in it. Returns null if it is nested too deeply.
fn redacted_json(text: &str, redactor: &Redactor) -> Value {
    json::from_str(text).map_or(Value::Null, |value| redactor.redact(&value))
}
