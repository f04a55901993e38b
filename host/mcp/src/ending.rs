//! Renders the ending of a run as an answer: from its outcome, or later from its journal.

use super::answer::{ToolAnswer, workflow_not_found};
use super::{blocks, handle};
use pml::hosting::{
    CallSummary, Client, ConsoleExcerpt, EndedRun, FailedCall, GrantNote, HostedRun, RunConclusion,
    RunReport, StoredEnding,
};
use pml::json::{self, Value, json};
use pml::{
    Code, Ending, Failure, Outcome, RunId,
    run::AbortedRun,
    text::{Redactor, escape, parsed_size},
};

impl ToolAnswer {
    /// Returns the answer for an ended run, with the lines that a client has not read yet.
    pub(super) fn of_ended(
        hosted: &HostedRun,
        ended: &EndedRun,
        client: &Client,
        redactor: &Redactor,
    ) -> ToolAnswer {
        match &ended.conclusion {
            RunConclusion::Outcome(report) => {
                let lines = hosted.watcher().unread_lines(client);
                ToolAnswer::of_report(report, &lines, redactor)
            }
            RunConclusion::Stored(stored) => ToolAnswer::of_stored(ended.run, stored),
            RunConclusion::Unavailable(error) => ToolAnswer::of_error(error),
        }
    }

    /// Returns the answer for a run that ended here.
    fn of_report(report: &RunReport, console: &ConsoleExcerpt, redactor: &Redactor) -> ToolAnswer {
        let RunReport { outcome, calls, failures, grant_notes, .. } = report;
        let mut answer = match &outcome.ending {
            Ending::Finished(_) => of_result(outcome.run_id, outcome.json()),
            Ending::Failed(failure) => ToolAnswer::error(of_failure(failure)),
            Ending::Waiting(questions) => match questions.first() {
                Some(first) => ToolAnswer::of_question(first, redactor),
                None => {
                    ToolAnswer::error(json!({ "code": "INTERNAL", "message": "nothing is asked" }))
                }
            },
            Ending::Aborted(aborted) => of_aborted(aborted),
            Ending::Expired(_) => workflow_not_found(),
        };
        if let Some(calls) = calls {
            let uncaught = outcome.failure().is_some_and(|failure| failure.error_code.is_some());
            answer.add_checkpoint(outcome.run_id, calls, uncaught);
        }
        answer.add(json!({ "run_id": outcome.run_id }));
        if !failures.is_empty() {
            let failures: Value = failures.iter().map(of_failed_call).collect();
            answer.add(json!({ "tool_failures": failures }));
        }
        answer.add_notes(outcome_notes(outcome));
        let dropped = outcome.dropped_lines.saturating_add(console.dropped);
        answer.add_console(&console.lines, dropped);
        answer.add(json!({
            "calls": outcome.usage.calls,
            "duration_ms": (outcome.usage.wall_time.as_secs_f64() * 10_000.0).round() / 10.0,
        }));
        answer.add_notes(grant_notes.iter().map(grant_text));
        answer
    }

    /// Returns the answer for a run that is over, according to its journal. The journal has no
    /// console output.
    fn of_stored(run: RunId, stored: &StoredEnding) -> ToolAnswer {
        let mut answer = match &stored.ending {
            Some(Ending::Failed(failure)) => {
                let mut answer = ToolAnswer::error(of_failure(failure));
                answer.add_checkpoint(run, &stored.calls, failure.error_code.is_some());
                answer
            }
            Some(Ending::Aborted(aborted)) => {
                let mut answer = of_aborted(aborted);
                answer.add_checkpoint(run, &stored.calls, false);
                answer
            }
            Some(Ending::Expired(_)) => {
                let mut answer = workflow_not_found();
                answer.add_checkpoint(run, &stored.calls, false);
                answer
            }
            Some(ending @ (Ending::Finished(_) | Ending::Waiting(_))) => {
                of_result(run, ending.json())
            }
            None => workflow_not_found(),
        };
        answer.add(json!({ "run_id": run, "calls": stored.call_count }));
        answer
    }

    /// Adds the calls of the run and, if `uncaught`, the call that it failed with.
    fn add_checkpoint(&mut self, run: RunId, calls: &CallSummary, uncaught: bool) {
        self.add(checkpoint(run, calls));
        if uncaught && let Some(error) = self.body.get_mut("error") {
            error["node"] = json!(calls.failed);
        }
    }
}

fn of_failed_call(failed: &FailedCall) -> Value {
    json!({ "tool": failed.tool, "error": failed.error.message, "code": failed.error.code })
}

/// Describes the result of writing a permanent grant.
fn grant_text(note: &GrantNote) -> String {
    let tool = escape(note.tool.as_str());
    match &note.error {
        None => format!("`{tool}` is allowed for good: it is in `.pml.json`"),
        Some(error) => format!("`{tool}` is allowed for this run only: {}", escape(error)),
    }
}

/// Returns notes about an outcome.
fn outcome_notes(outcome: &Outcome) -> Vec<String> {
    let unhandled = outcome.unhandled.iter();
    let unhandled = unhandled.map(|failure| {
        let kind = match failure.code {
            Code::UnhandledRejection => "unhandled rejection",
            _ => "uncaught error",
        };
        format!("another {kind}: {}: {}", failure.name, failure.message)
    });
    let abandoned = outcome.abandoned.iter().map(|call| {
        let what = if call.sent { "was cancelled" } else { "was never sent" };
        format!("call {} of `{}` {what}: the program did not wait for it", call.call, call.tool)
    });
    unhandled.chain(abandoned).collect()
}

/// Memory that a result that fits may take beside its text and its pictures, in bytes.
const SMALL_PARTS: usize = 16 << 20;

/// Returns the answer for a result: JSON text, or `None` for `undefined`.
fn of_result(run: RunId, text: Option<&str>) -> ToolAnswer {
    let mut answer = ToolAnswer::new("success", json!({ "success": true }));
    let Some(text) = text else {
        answer.add(json!({ "result": null }));
        return answer;
    };
    let fits = |text: &str| text.len() <= handle::MAX_INLINE;
    // A value that takes much more memory than its text consists of many small parts, not of
    // pictures.
    let may_fit = fits(text) || parsed_size(text) <= text.len() + SMALL_PARTS;
    let value = may_fit.then(|| json::from_str::<Value>(text).ok()).flatten();
    if let Some(mut value) = value {
        answer.blocks = blocks::extract(&mut value);
        // Most large results are large because of pictures: without them it may fit.
        if fits(text) || fits(&value.to_string()) {
            answer.add(json!({ "result": value }));
            return answer;
        }
        answer.blocks.clear();
    }
    answer.add(match fits(text) {
        // It nests deeper than the parser reads; its text is equivalent.
        true => json!({ "result": text }),
        false => handle::preview_fields(run, text),
    });
    answer
}

/// Renders a failure.
fn of_failure(failure: &Failure) -> Value {
    let given = |text: &'_ str| !text.is_empty();
    let code = failure.code.as_str();
    let own = failure.error_code.as_deref().filter(|own| given(own));
    let name = Some(failure.name.as_str()).filter(|name| given(name));
    let mut error = json!({ "code": own.unwrap_or(code), "type": name.unwrap_or(code),
        "message": failure.message });
    if let Some(position) = &failure.position {
        error["position"] = json!(position);
    }
    if let Some(hint) = &failure.hint {
        error["hint"] = hint.as_str().into();
    }
    if !failure.causes.is_empty() {
        error["causes"] = json!(failure.causes);
    }
    if let Some(frame) = failure.code_frame.as_deref().filter(|frame| given(frame)) {
        error["frame"] = frame.trim_end().into();
    }
    error
}

/// Returns the answer for a run that a person ended.
fn of_aborted(aborted: &AbortedRun) -> ToolAnswer {
    let error = json!({ "code": "ABORTED", "type": "Aborted", "message": aborted.message });
    let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
    let body = json!({ "success": false, "error": error, "completed": completed,
        "replan": aborted.replan });
    ToolAnswer::new("aborted", body)
}

/// Renders the calls of a run that did not finish, from which another run may continue.
fn checkpoint(run: RunId, calls: &CallSummary) -> Value {
    json!({ "checkpoint": {
        "run_id": run,
        "completed": calls.completed.len(),
        "completed_nodes": calls.completed,
        "failed_node": calls.failed,
    } })
}
