//! What `execute` answers: one vocabulary for every way in which a program can end.
//!
//! In flows an outcome, out flows a tool result whose `structuredContent` says everything, mirrored as one text block.

use super::{blocks, handle, question};
use crate::json::{Map, Value, json};
use crate::{
    CallError, Completed, Ending, Error, Failure, Level, Line, Outcome, RunId, Settled, Stored,
    ToolName, What, escape,
};
use rmcp::model::{CallToolResult, ContentBlock};
use std::collections::BTreeMap;

/// Console output that comes with an answer; the journal has no more of it, but a model reads no more either.
const CONSOLE: usize = 16 << 10;

/// An answer before it is written.
pub(super) struct Answer {
    pub(super) body: Map<String, Value>,
    pub(super) blocks: Vec<ContentBlock>,
    pub(super) failed: bool,
}

/// A call that failed, also if the program caught it.
pub(super) struct ToolFailure {
    pub(super) tool: ToolName,
    pub(super) error: CallError,
}

impl Answer {
    fn new(status: &str, body: Value) -> Answer {
        let mut fields = Map::new();
        fields.insert("status".into(), status.into());
        if let Value::Object(body) = body {
            fields.extend(body);
        }
        Answer { body: fields, blocks: Vec::new(), failed: false }
    }

    /// An answer that something failed.
    pub(super) fn error(error: Value) -> Answer {
        let mut answer = Answer::new("error", json!({ "success": false, "error": error }));
        answer.failed = true;
        answer
    }

    /// What kept a program from running, or from going on.
    pub(super) fn of_error(error: &Error) -> Answer {
        let mut message = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            message += &format!(": {cause}");
            source = cause.source();
        }
        let mut body =
            json!({ "code": error.kind(), "type": "Error", "message": escape(&message) });
        if let Some(hint) = error.hint() {
            body["hint"] = hint.into();
        }
        Answer::error(body)
    }

    /// Part of a result that was too big.
    pub(super) fn of_part(part: Value) -> Answer {
        let mut answer = Answer::new("success", json!({ "success": true }));
        answer.add(part);
        answer
    }

    /// What a run came to. `stored` is its journal, which a run that did not finish is looked up in.
    pub(super) fn of_outcome(
        outcome: &Outcome,
        stored: Option<&Stored>,
        failures: &[ToolFailure],
    ) -> Answer {
        let mut answer = match &outcome.ending {
            Ending::Finished(_) => of_result(outcome),
            Ending::Failed(failure) => Answer::error(of_failure(failure)),
            Ending::Waiting(questions) => match questions.first() {
                Some(first) => Answer::new("approval_required", question::of(first)),
                None => Answer::error(json!({ "code": "INTERNAL", "message": "nothing is asked" })),
            },
            Ending::Aborted(aborted) => {
                let error =
                    json!({ "code": "ABORTED", "type": "Aborted", "message": aborted.message });
                let (success, completed) = (false, named(&aborted.completed));
                let body = json!({ "success": success, "error": error, "completed": completed,
                    "replan": aborted.replan });
                Answer::new("aborted", body)
            }
            Ending::Expired(_) => gone(),
        };
        if let Some(stored) = stored {
            answer.add(checkpoint(outcome.run_id, stored));
            let uncaught = outcome.failure().is_some_and(|failure| failure.error_code.is_some());
            let node = answer.body["checkpoint"]["failed_node"].clone();
            if uncaught && let Some(error) = answer.body.get_mut("error") {
                error["node"] = node;
            }
        }
        answer.add(json!({ "run_id": outcome.run_id }));
        if !failures.is_empty() {
            let failures: Value = failures.iter().map(of_tool_failure).collect();
            answer.add(json!({ "tool_failures": failures }));
        }
        answer.add_console(outcome);
        answer.add(json!({
            "calls": outcome.usage.calls,
            "duration_ms": (outcome.usage.wall_time.as_secs_f64() * 10_000.0).round() / 10.0,
        }));
        answer
    }

    fn add(&mut self, fields: Value) {
        if let Value::Object(fields) = fields {
            self.body.extend(fields);
        }
    }

    fn add_console(&mut self, outcome: &Outcome) {
        let mut notes: Vec<String> = outcome
            .unhandled
            .iter()
            .map(|failure| format!("unhandled rejection: {}: {}", failure.name, failure.message))
            .collect();
        for call in &outcome.abandoned {
            let what = if call.sent { "was cancelled" } else { "was never sent" };
            notes.push(format!(
                "call {} of `{}` {what}: the program did not wait for it",
                call.call, call.tool
            ));
        }
        let (mut size, mut shown) = (0, Vec::new());
        for line in &outcome.console {
            size += line.text.len();
            if size > CONSOLE {
                break;
            }
            shown.push(told(line));
        }
        let left = outcome.console.len() - shown.len() + outcome.dropped_lines as usize;
        if left > 0 {
            notes.push(format!("{left} more console lines are left out"));
        }
        if !shown.is_empty() {
            self.add(json!({ "console": shown }));
        }
        if !notes.is_empty() {
            self.add(json!({ "notes": notes }));
        }
    }

    /// Writes the answer. A client that shows its model either the structure or the blocks, never both, gets all of it as
    /// blocks where there are pictures.
    pub(super) fn write(self, either: bool) -> CallToolResult {
        let Answer { body, blocks, failed } = self;
        let body = Value::Object(body);
        let text = body.to_string();
        let only_blocks = either && !blocks.is_empty();
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.content.extend(blocks);
        result.structured_content = (!only_blocks).then_some(body);
        result.is_error = Some(failed);
        result
    }
}

/// The answer to a workflow that nobody knows, or knows no more.
pub(super) fn gone() -> Answer {
    Answer::error(json!({
        "code": "WORKFLOW_UNKNOWN",
        "type": "WorkflowError",
        "message": "Workflow expired or not found",
        "hint": "run the program again; with `resume_from` its finished calls are not made again",
    }))
}

fn of_result(outcome: &Outcome) -> Answer {
    let mut answer = Answer::new("success", json!({ "success": true }));
    let text = outcome.json().unwrap_or("null");
    let fits = |text: &str| text.len() <= handle::INLINE;
    if let Some(mut value) = outcome.value() {
        answer.blocks = blocks::lift(&mut value);
        // Pictures make most big results big: without them it may fit.
        if fits(text) || fits(&value.to_string()) {
            answer.add(json!({ "result": value }));
            return answer;
        }
        answer.blocks.clear();
    }
    answer.add(match outcome.json() {
        None => json!({ "result": null }),
        // It nests deeper than we read; its text is as good.
        Some(_) if fits(text) => json!({ "result": text }),
        Some(_) => handle::first(outcome.run_id, text),
    });
    answer
}

fn of_failure(failure: &Failure) -> Value {
    let code = failure.error_code.as_deref().unwrap_or(failure.code.as_str());
    let kind = if failure.name.is_empty() { failure.code.as_str() } else { &failure.name };
    let mut error = json!({ "code": code, "type": kind, "message": failure.message });
    if let Some(position) = &failure.position {
        error["position"] = json!(position);
    }
    if let Some(frame) = &failure.code_frame {
        error["frame"] = frame.trim_end().into();
    }
    if let Some(hint) = &failure.hint {
        error["hint"] = hint.as_str().into();
    }
    if !failure.causes.is_empty() {
        error["causes"] = json!(failure.causes);
    }
    error
}

fn of_tool_failure(failure: &ToolFailure) -> Value {
    let ToolFailure { tool, error } = failure;
    json!({ "tool": tool, "error": error.message, "code": error.code })
}

fn named(completed: &[Completed]) -> Vec<&str> {
    completed.iter().map(|call| call.tool.as_str()).collect()
}

fn told(line: &Line) -> String {
    match line.level {
        Level::Warn => format!("[warn] {}", line.text),
        Level::Error => format!("[error] {}", line.text),
        _ => line.text.clone(),
    }
}

/// What a run that did not finish has done.
fn checkpoint(run: RunId, stored: &Stored) -> Value {
    let mut tools = BTreeMap::new();
    let (mut completed, mut failed) = (Vec::new(), None);
    for entry in &stored.entries {
        match &entry.what {
            What::Requested { call, tool, .. } => drop(tools.insert(*call, tool.as_str())),
            What::Settled { call, settled } => {
                let Some(tool) = tools.get(call).filter(|tool| **tool != "pml:sleep") else {
                    continue;
                };
                match settled {
                    Settled::Value(_) => completed.push(*tool),
                    _ => failed = Some(*tool),
                }
            }
            _ => {}
        }
    }
    json!({ "checkpoint": {
        "run_id": run,
        "completed": completed.len(),
        "completed_nodes": completed,
        "failed_node": failed,
    } })
}
