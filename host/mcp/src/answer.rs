//! The answers of `execute`: one vocabulary for every way in which a program can end.
//!
//! Input: the status and its fields. Output: a tool result whose `structuredContent` contains
//! everything, mirrored as one text block.

use super::question::{self, DecisionWay};
use pml::json::{Map, Value, json};
use pml::{
    Code, Error, Question,
    event::{ConsoleLevel, ConsoleLine},
    run::ErrorReport,
    text::Redactor,
};
use rmcp::model::{CallToolResult, ContentBlock};

/// Bytes of console output in an answer. The rest is lost, because the journal has no console
/// output, but a model would not read more.
const MAX_CONSOLE: usize = 16 << 10;

/// An answer before it is rendered.
pub(super) struct ToolAnswer {
    pub(super) body: Map<String, Value>,
    pub(super) blocks: Vec<ContentBlock>,
    pub(super) failed: bool,
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

    /// Returns an answer that reports an error.
    pub(super) fn error(error: &ErrorReport) -> ToolAnswer {
        let mut answer = ToolAnswer::new("error", json!({ "success": false, "error": error }));
        answer.failed = true;
        answer
    }

    /// Returns the answer for an error that kept a program from running or continuing.
    pub(super) fn of_error(error: &Error) -> ToolAnswer {
        ToolAnswer::error(&ErrorReport::from(error))
    }

    /// Returns the answer for a part of a result that was too large.
    pub(super) fn of_part(part: Value) -> ToolAnswer {
        let mut answer = ToolAnswer::new("success", json!({ "success": true }));
        answer.add(part);
        answer
    }

    pub(super) fn add(&mut self, fields: Value) {
        if let Value::Object(fields) = fields {
            self.body.extend(fields);
        }
    }

    /// Returns the answer that asks its reader to get a person's decision, `by` which way.
    pub(super) fn of_question(
        asked: &Question,
        by: DecisionWay,
        redactor: &Redactor,
    ) -> ToolAnswer {
        let mut answer =
            ToolAnswer::new("approval_required", question::answer_fields(asked, by, redactor));
        answer.add(json!({ "run_id": asked.run }));
        answer
    }

    /// Adds the console output of the program.
    pub(super) fn add_console(&mut self, lines: &[ConsoleLine], dropped: u32) {
        let (mut size, mut shown) = (0, Vec::new());
        for line in lines {
            size += line.text.len();
            if size > MAX_CONSOLE {
                break;
            }
            shown.push(console_text(line));
        }
        let left = lines.len() - shown.len() + dropped as usize;
        if !shown.is_empty() {
            self.add(json!({ "console": shown }));
        }
        if left > 0 {
            self.add_notes([format!("{left} more console lines are left out")]);
        }
    }

    /// Adds notes to the answer.
    pub(super) fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        let mut notes = notes.into_iter().map(Value::from).peekable();
        if notes.peek().is_none() {
            return;
        }
        let written = self.body.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(written) = written {
            written.extend(notes);
        }
    }

    /// Renders the answer. Some clients show their model either the structure or the blocks, never
    /// both: if there are pictures, they get everything as blocks.
    pub(super) fn into_result(self, shows_either: bool) -> CallToolResult {
        let ToolAnswer { body, blocks, failed } = self;
        let body = Value::Object(body);
        let text = body.to_string();
        let only_blocks = shows_either && !blocks.is_empty();
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.content.extend(blocks);
        result.structured_content = (!only_blocks).then_some(body);
        result.is_error = Some(failed);
        result
    }
}

/// Returns the answer for a workflow that is unknown, or no longer known.
pub(super) fn workflow_not_found() -> ToolAnswer {
    let mut error = ErrorReport::new(Code::WorkflowUnknown, "Workflow expired or not found");
    error.error_type = "WorkflowError".into();
    let hint = "send the program again, with `resume_from` set to its `run_id`: finished calls are \
                not made again";
    error.hint = Some(hint.into());
    ToolAnswer::error(&error)
}

/// Formats a console line for an answer.
fn console_text(line: &ConsoleLine) -> String {
    match line.level {
        ConsoleLevel::Warn => format!("[warn] {}", line.text),
        ConsoleLevel::Error => format!("[error] {}", line.text),
        _ => line.text.clone(),
    }
}
