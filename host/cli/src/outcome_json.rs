//! The document of a run that did not finish: the fields that MCP clients get too.

use super::execute::JournalStorage;
use super::present_fields::present_fields;
use super::{report, runs};
use pml::json::{Value, json};
use pml::run::{AbortedRun, ErrorReport};
use pml::{Code, Ending, Failure, Outcome, Question, RunId, text::Redactor};

/// Returns the document of a run, or `None` if it finished: then its result is the document.
pub(super) fn unfinished_document(
    outcome: &Outcome,
    storage: JournalStorage,
    redactor: &Redactor,
) -> Option<Value> {
    let run = outcome.run_id;
    let mut document = match &outcome.ending {
        Ending::Finished(_) => return None,
        Ending::Failed(failure) => json!({ "status": "error", "error": failure_report(failure) }),
        Ending::Waiting(questions) => waiting_document(questions, storage, redactor),
        Ending::Aborted(aborted) => aborted_document(aborted, run),
        Ending::Expired(question) => {
            let mut error = ErrorReport::new(Code::Expired, report::EXPIRED_MESSAGE);
            error.hint = Some(report::expired_hint(run));
            json!({ "status": "error", "error": error, "workflow_id": question })
        }
    };
    document["run_id"] = json!(run);
    if !outcome.tool_failures.is_empty() {
        document["tool_failures"] = json!(outcome.tool_failures);
    }
    Some(document)
}

/// Returns what programs read about a failure.
pub(super) fn failure_report(failure: &Failure) -> ErrorReport {
    let mut error = ErrorReport::from(failure);
    error.hint = report::hint_of(failure);
    error
}

fn waiting_document(questions: &[Question], storage: JournalStorage, redactor: &Redactor) -> Value {
    let hint = questions.first().map(|question| report::waiting_hint(question, storage));
    let waiting: Value =
        questions.iter().map(|asked| runs::question_json(asked, redactor)).collect();
    present_fields(json!({ "status": "approval_required", "waiting": waiting, "hint": hint }))
}

fn aborted_document(aborted: &AbortedRun, run: RunId) -> Value {
    let mut error = ErrorReport::new(Code::Aborted, aborted.message.as_str());
    error.hint = aborted.replan.then(|| report::replan_hint(run));
    let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
    let interrupted: Vec<_> = aborted.interrupted.iter().map(|call| call.tool.as_str()).collect();
    json!({
        "status": "aborted",
        "error": error,
        "replan": aborted.replan,
        "completed": completed,
        "interrupted": interrupted,
        "who": aborted.who,
        "channel": aborted.channel,
    })
}
