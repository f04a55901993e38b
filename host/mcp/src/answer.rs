//! What `execute` answers: one vocabulary for every way in which a program can end.
//!
//! In flows an outcome, out flows a tool result whose `structuredContent` says everything, mirrored as one text block.

use super::ending::{checkpoint, of_aborted, of_failure, of_result};
use super::question;
use pml::json::{Map, Value, json};
use pml::{
    CallError, ConsoleLevel, ConsoleLine, Ending, Error, Outcome, Question, Redactor, StoredRun,
    ToolName, escape,
};
use rmcp::model::{CallToolResult, ContentBlock};

/// Console output that comes with an answer; the journal has no more of it, but a model reads no more either.
const CONSOLE: usize = 16 << 10;

/// An answer before it is written.
#[derive(Clone)]
pub(super) struct ToolAnswer {
    pub(super) body: Map<String, Value>,
    pub(super) blocks: Vec<ContentBlock>,
    pub(super) failed: bool,
}

/// A call that failed, also if the program caught it.
pub(super) struct ToolFailure {
    pub(super) tool: ToolName,
    pub(super) error: CallError,
}

impl ToolAnswer {
    pub(super) fn new(status: &str, body: Value) -> ToolAnswer {
        let mut fields = Map::new();
        fields.insert("status".into(), status.into());
        if let Value::Object(body) = body {
            fields.extend(body);
        }
        ToolAnswer { body: fields, blocks: Vec::new(), failed: false }
    }

    /// An answer that something failed.
    pub(super) fn error(error: Value) -> ToolAnswer {
        let mut answer = ToolAnswer::new("error", json!({ "success": false, "error": error }));
        answer.failed = true;
        answer
    }

    /// What kept a program from running, or from going on.
    pub(super) fn of_error(error: &Error) -> ToolAnswer {
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
        ToolAnswer::error(body)
    }

    /// Part of a result that was too big.
    pub(super) fn of_part(part: Value) -> ToolAnswer {
        let mut answer = ToolAnswer::new("success", json!({ "success": true }));
        answer.add(part);
        answer
    }

    /// What a run came to. `stored` is its journal, which a run that did not finish is looked up in.
    pub(super) fn of_outcome(
        outcome: &Outcome,
        stored: Option<&StoredRun>,
        failures: &[ToolFailure],
        redactor: &Redactor,
    ) -> ToolAnswer {
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
            Ending::Expired(_) => gone(),
        };
        if let Some(stored) = stored {
            let uncaught = outcome.failure().is_some_and(|failure| failure.error_code.is_some());
            answer.add_checkpoint(stored, uncaught);
        }
        answer.add(json!({ "run_id": outcome.run_id }));
        if !failures.is_empty() {
            let failures: Value = failures.iter().map(of_tool_failure).collect();
            answer.add(json!({ "tool_failures": failures }));
        }
        answer.note(leftovers(outcome));
        answer.add_console(&outcome.console, outcome.dropped_lines);
        answer.add(json!({
            "calls": outcome.usage.calls,
            "duration_ms": (outcome.usage.wall_time.as_secs_f64() * 10_000.0).round() / 10.0,
        }));
        answer
    }

    pub(super) fn add(&mut self, fields: Value) {
        if let Value::Object(fields) = fields {
            self.body.extend(fields);
        }
    }

    /// A person is asked, by whoever reads this.
    pub(super) fn of_question(asked: &Question, redactor: &Redactor) -> ToolAnswer {
        let mut answer = ToolAnswer::new("approval_required", question::of(asked, redactor));
        answer.add(json!({ "run_id": asked.run }));
        answer
    }

    /// What the run has done, and, if `uncaught`, which call it failed with.
    pub(super) fn add_checkpoint(&mut self, stored: &StoredRun, uncaught: bool) {
        self.add(checkpoint(stored));
        let node = self.body["checkpoint"]["failed_node"].clone();
        if uncaught && let Some(error) = self.body.get_mut("error") {
            error["node"] = node;
        }
    }

    /// What the program wrote.
    pub(super) fn add_console(&mut self, lines: &[ConsoleLine], dropped: u32) {
        let (mut size, mut shown) = (0, Vec::new());
        for line in lines {
            size += line.text.len();
            if size > CONSOLE {
                break;
            }
            shown.push(told(line));
        }
        let left = lines.len() - shown.len() + dropped as usize;
        if !shown.is_empty() {
            self.add(json!({ "console": shown }));
        }
        if left > 0 {
            self.note([format!("{left} more console lines are left out")]);
        }
    }

    /// Says something about the answer.
    pub(super) fn note(&mut self, notes: impl IntoIterator<Item = String>) {
        let mut notes = notes.into_iter().map(Value::from).peekable();
        if notes.peek().is_none() {
            return;
        }
        let told = self.body.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(told) = told {
            told.extend(notes);
        }
    }

    /// Bytes that it takes to keep, about.
    pub(super) fn size(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(weight).sum();
        Value::Object(self.body.clone()).to_string().len() + blocks
    }

    /// Writes the answer. A client that shows its model either the structure or the blocks, never both, gets all of it as
    /// blocks where there are pictures.
    pub(super) fn write(self, either: bool) -> CallToolResult {
        let ToolAnswer { body, blocks, failed } = self;
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
pub(super) fn gone() -> ToolAnswer {
    ToolAnswer::error(json!({
        "code": "WORKFLOW_UNKNOWN",
        "type": "WorkflowError",
        "message": "Workflow expired or not found",
        "hint": "run the program again; with `resume_from` its finished calls are not made again",
    }))
}

fn of_tool_failure(failure: &ToolFailure) -> Value {
    let ToolFailure { tool, error } = failure;
    json!({ "tool": tool, "error": error.message, "code": error.code })
}

fn told(line: &ConsoleLine) -> String {
    match line.level {
        ConsoleLevel::Warn => format!("[warn] {}", line.text),
        ConsoleLevel::Error => format!("[error] {}", line.text),
        _ => line.text.clone(),
    }
}

/// What else is to be said of an outcome.
fn leftovers(outcome: &Outcome) -> Vec<String> {
    let unhandled = outcome.unhandled.iter();
    let unhandled = unhandled
        .map(|failure| format!("unhandled rejection: {}: {}", failure.name, failure.message));
    let abandoned = outcome.abandoned.iter().map(|call| {
        let what = if call.sent { "was cancelled" } else { "was never sent" };
        format!("call {} of `{}` {what}: the program did not wait for it", call.call, call.tool)
    });
    unhandled.chain(abandoned).collect()
}

fn weight(block: &ContentBlock) -> usize {
    serde_json::to_string(block).map_or(0, |text| text.len())
}
