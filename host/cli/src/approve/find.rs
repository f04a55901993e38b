//! Finds the question that the user means, or returns why it cannot be answered.

use crate::identify::{ambiguous_error, matching, short};
use crate::report::HintedError;
use anyhow::Result;
use pml::json::Value;
use pml::{
    Code, Error, Journal, Question, QuestionId, RunId, Timestamp,
    journal::{AuditEntry, AuditFilter, StoredQuestion},
    text::escape,
};

/// The hint for an id that does not exist.
const LIST_HINT: &str = "`pml approvals` lists the open questions";

/// Finds a question by its id, by its run's id, by enough of either, or the newest as `last`.
/// Closed questions are found too, so that a late answer gets the earlier decisions.
pub(super) async fn find(
    journal: &dyn Journal,
    typed: &str,
    now: Timestamp,
) -> Result<StoredQuestion> {
    if let Ok(id) = typed.parse::<QuestionId>()
        && let Some(asked) = journal.question(id, now).await.map_err(Error::from)?
    {
        return Ok(asked);
    }
    let mut open = journal.questions(None, now).await.map_err(Error::from)?;
    if typed == "last" {
        // The questions are sorted, oldest first.
        return open.pop().ok_or_else(|| unknown("no question is open"));
    }
    let mut found = matching(typed, open.clone(), |asked| asked.question.id.to_string());
    if found.is_empty() {
        found = matching(typed, open, |asked| asked.question.run.to_string());
    }
    match found.len() {
        0 => find_closed(journal, typed, now).await,
        1 => Ok(found.remove(0)),
        _ => {
            let line = |it: &StoredQuestion| {
                let question = &it.question;
                format!(
                    "{}  run {}  {}",
                    question.id,
                    short(question.run),
                    escape(&question.script)
                )
            };
            Err(ambiguous_error(
                "open questions",
                typed,
                &found.iter().map(line).collect::<Vec<_>>(),
            ))
        }
    }
}

/// Finds the last closed question with such an id. The audit trail has all questions, the journal
/// only those of runs that it still stores.
async fn find_closed(journal: &dyn Journal, typed: &str, now: Timestamp) -> Result<StoredQuestion> {
    let trail = journal.audit_trail(AuditFilter::default()).await.map_err(Error::from)?;
    let asked = trail.entries.iter().filter(|entry| entry.kind() == "asked");
    let asked: Vec<_> = asked.map(|entry| entry.body.clone()).collect();
    let mut found = matching(typed, asked.clone(), |body| text(body, "workflow_id"));
    if found.is_empty() {
        found = matching(typed, asked, |body| text(body, "run_id"));
    }
    let Some(last) = found.pop() else { return Err(unknown_error()) };
    let (id, script) = (text(&last, "workflow_id"), text(&last, "script"));
    if let Ok(id) = id.parse()
        && let Some(asked) = journal.question(id, now).await.map_err(Error::from)?
    {
        return Ok(asked);
    }
    // The run is deleted, so it cannot be resumed.
    let reason = closing_reason(&trail.entries, &id, text(&last, "expires_at").parse().ok(), now);
    Err(reason.map_or_else(unknown_error, |how| error_with_hint(&how, None, &script)))
}

/// Returns the error that says why a question can no longer be answered.
pub(super) async fn closed_error(
    journal: &dyn Journal,
    question: &Question,
    now: Timestamp,
) -> Result<anyhow::Error> {
    let trail = journal.audit_trail(AuditFilter::default()).await.map_err(Error::from)?;
    let reason = closing_reason(&trail.entries, &question.id.to_string(), question.expires_at, now);
    let run = Some(question.run);
    Ok(reason.map_or_else(unknown_error, |how| error_with_hint(&how, run, &question.script)))
}

/// Returns the error with the message that the protocol defines.
fn unknown_error() -> anyhow::Error {
    unknown("Workflow expired or not found")
}

fn unknown(message: &str) -> anyhow::Error {
    HintedError::new(message, LIST_HINT).with_code(Code::WorkflowUnknown).into()
}

/// Returns how a question was closed, according to the audit trail or the clock. Returns `None` if
/// neither says so.
fn closing_reason(
    trail: &[AuditEntry],
    id: &str,
    expires: Option<Timestamp>,
    now: Timestamp,
) -> Option<String> {
    let of_question = |entry: &&AuditEntry| text(&entry.body, "workflow_id") == id;
    let entry = |kind: &str| trail.iter().filter(of_question).find(|entry| entry.kind() == kind);
    if let Some(withdrawn) = entry("withdrawn") {
        let reason = text(&withdrawn.body, "reason");
        return Some(format!("the question was withdrawn: {}", escape(&reason)));
    }
    let noted = entry("expired").map(|entry| entry.at);
    let expired = expires.filter(|end| *end <= now).or(noted)?;
    Some(format!("the question expired at {expired}: nobody answered in time"))
}

/// Returns the error for a closed question, with a hint about how to run the program again. A
/// program of one call is named for its tool.
fn error_with_hint(how: &str, run: Option<RunId>, script: &str) -> anyhow::Error {
    let name = escape(script).replace('\n', " ");
    let tool = name.strip_suffix(".ts").filter(|tool| tool.contains(':') && !tool.contains('/'));
    let hint = match (tool, run) {
        (Some(tool), _) => format!("call it again: `pml call {tool} …`"),
        (None, Some(run)) => {
            format!(
                "`pml run --resume {} {name}` runs it again, and reuses what it has done",
                short(run)
            )
        }
        (None, None) => format!("run it again: `pml run {name}`"),
    };
    HintedError::new(how, hint).with_code(Code::WorkflowUnknown).into()
}

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_default().into()
}
