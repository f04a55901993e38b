//! Renders the ending of a run as an answer: from its outcome, or later from its journal.

use super::answer::{ToolAnswer, workflow_not_found};
use super::question::DecisionWay;
use super::{blocks, handle};
use pml::hosting::{
    CallSummary, Client, ConsoleExcerpt, EndedRun, GrantNote, HostedRun, RunConclusion, RunReport,
    StoredEnding,
};
use pml::json::{self, Value, json};
use pml::{
    Code, Ending, Outcome, RunId,
    approval::describe_constraints,
    run::{AbortedRun, ErrorReport, ToolFailure},
    text::{Redactor, escape, parsed_size},
};

/// Maximum number of calls without an outcome that are listed.
const MAX_UNSETTLED: usize = 20;

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
        let RunReport { outcome, calls, grant_notes, .. } = report;
        let mut answer = match &outcome.ending {
            Ending::Finished(_) => of_result(outcome.run_id, outcome.json()),
            Ending::Failed(failure) => ToolAnswer::error(&failure.into()),
            Ending::Waiting(questions) => match questions.first() {
                Some(first) => ToolAnswer::of_question(first, DecisionWay::Command, redactor),
                None => ToolAnswer::error(&ErrorReport::new(Code::Internal, "nothing is asked")),
            },
            Ending::Aborted(aborted) => of_aborted(outcome.run_id, aborted),
            Ending::Expired(_) => workflow_not_found(),
        };
        if let Some(calls) = calls {
            let uncaught = outcome.failure().is_some_and(|failure| failure.error_code.is_some());
            answer.add_checkpoint(outcome.run_id, calls, uncaught);
        }
        answer.add(json!({ "run_id": outcome.run_id }));
        answer.add_tool_failures(&outcome.tool_failures);
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
                let mut answer = ToolAnswer::error(&failure.into());
                answer.add_checkpoint(run, &stored.calls, failure.error_code.is_some());
                answer
            }
            Some(Ending::Aborted(aborted)) => {
                let mut answer = of_aborted(run, aborted);
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
        answer.add_tool_failures(&stored.tool_failures);
        answer
    }

    /// Adds the calls that failed, whether or not the program caught their errors.
    fn add_tool_failures(&mut self, failures: &[ToolFailure]) {
        if !failures.is_empty() {
            self.add(json!({ "tool_failures": failures }));
        }
    }

    /// Adds the calls of the run and, if `uncaught`, the call that it failed with.
    fn add_checkpoint(&mut self, run: RunId, calls: &CallSummary, uncaught: bool) {
        self.add(checkpoint(run, calls));
        self.add_notes(calls.unsettled.iter().take(MAX_UNSETTLED).map(|tool| {
            let tool = escape(tool);
            format!("a call of `{tool}` was cut off: it may have had an effect")
        }));
        if uncaught && let Some(error) = self.body.get_mut("error") {
            error["node"] = json!(calls.failed);
        }
    }
}

/// Describes the result of writing a permanent grant.
fn grant_text(note: &GrantNote) -> String {
    let tool = escape(note.tool.as_str());
    let only = match note.constraints.is_empty() {
        true => String::new(),
        false => format!(" with {}", escape(&describe_constraints(&note.constraints))),
    };
    match &note.error {
        None => format!("`{tool}` is always allowed{only}: it is in `.pml.json`"),
        Some(error) => format!("`{tool}` is allowed{only} for this run only: {}", escape(error)),
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
    // A call that was not sent had no effect; in a run that was ended it is nobody's fault.
    let cut_short = outcome.ending.was_cut_short();
    let abandoned = outcome.abandoned.iter().filter(|call| call.sent || !cut_short);
    let abandoned = abandoned.map(|call| call.describe(&outcome.ending));
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

/// Returns the answer for a run that a person or a client ended. Its calls are in its checkpoint.
fn of_aborted(run: RunId, aborted: &AbortedRun) -> ToolAnswer {
    let mut error = ErrorReport::new(Code::Aborted, aborted.message.as_str());
    error.hint = Some(match aborted.replan {
        true => format!(
            "the person wants another program: write it, and send it with `resume_from` \
             \"{run}\"; finished calls are not made again"
        ),
        false => format!(
            "nothing more is called; a program that goes on from here is sent with \
             `resume_from` \"{run}\", if the person wants that"
        ),
    });
    let body = json!({ "success": false, "error": error, "replan": aborted.replan });
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
