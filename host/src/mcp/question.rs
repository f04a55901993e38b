//! A question as a client gets it that cannot ask a person itself.

use crate::json::{Value, json};
use crate::{Ask, AskKind, Question, escape, lines_of_ask, redact};

/// Bytes of arguments that are shown of each ask; `pml approvals` shows all of them.
const ARGUMENTS: usize = 4 << 10;

/// Asks that are shown; an answer for all is one for the others too.
const ASKS: usize = 50;

/// Returns the fields of an `approval_required` answer. Those at the top are of the first ask.
pub(super) fn of(question: &Question) -> Value {
    let id = question.id.to_string();
    let asks: Vec<Value> = question.asks.iter().take(ASKS).map(ask).collect();
    let mut body = json!({
        "success": false,
        "approval_required": true,
        "workflow_id": id,
        "options": ["continue", "always", "abort", "replan"],
        "asks": asks,
        "expires_at": question.expires_at.map(|at| at.to_string()),
    });
    if let Some(first) = question.asks.first() {
        let arguments = arguments(first);
        let more = match question.asks.len() {
            1 => String::new(),
            many => format!(" (and {} more)", many - 1),
        };
        body["approval_type"] = json!(first.kind);
        body["description"] = format!("{}{more}", describe(first)).into();
        body["context"] = json!({ "tool": first.tool, "arguments": arguments });
        body["approval_context"] =
            json!({ "type": context_type(first.kind), "tool": first.tool, "workflow_id": id });
    }
    body
}

fn ask(ask: &Ask) -> Value {
    json!({
        "id": ask.id,
        "type": ask.kind,
        "tool": ask.tool,
        "arguments": arguments(ask),
        "reason": ask.reason,
        "description": describe(ask),
        "lines": lines_of_ask(ask),
    })
}

/// Arguments without secrets; of large ones only the beginning, and how large they are.
fn arguments(ask: &Ask) -> Value {
    let redacted = redact(&ask.arguments);
    let text = redacted.to_string();
    match text.len() > ARGUMENTS {
        true => json!({ "cut": &text[..text.floor_char_boundary(ARGUMENTS)], "size": text.len() }),
        false => redacted,
    }
}

fn describe(ask: &Ask) -> String {
    let tool = escape(&ask.tool);
    match ask.kind {
        AskKind::ToolPermission => format!("Approval required to call {tool}"),
        AskKind::Dependency => format!("Approval required to install what {tool} needs"),
        AskKind::ApiKeyRequired => format!("A key is missing for {tool}"),
        AskKind::Integrity => format!("{tool} is not what was approved before"),
        AskKind::UncertainCall if ask.call.is_none() => {
            format!("{tool} was called by the earlier run and is not called again")
        }
        AskKind::UncertainCall => {
            format!(
                "Nobody knows what became of a call of {tool}: approval required to call it AGAIN"
            )
        }
        _ => format!("Approval required for {tool}"),
    }
}

fn context_type(kind: AskKind) -> Value {
    match kind {
        AskKind::Dependency => "dependency_install".into(),
        other => json!(other),
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::json::json;
    use crate::{Ask, AskKind, CallId, Question, RunId, Timestamp};

    #[test]
    fn the_first_ask_is_mirrored_at_the_top_and_secrets_are_left_out() {
        let ask = |call, tool: &str| {
            let arguments = json!({ "path": "/a", "token": "s3cret" });
            Ask::new(AskKind::ToolPermission, Some(CallId(call)), tool, arguments, "it asks")
        };
        let asks = vec![ask(1, "fs:write"), ask(2, "fs:move")];
        let question = Question::new(RunId::new(), "x.ts", Timestamp(0), Some(Timestamp(0)), asks);
        let body = of(&question);
        assert_eq!(body["approval_required"], true);
        assert_eq!(body["approval_type"], "tool_permission");
        assert_eq!(body["description"], "Approval required to call fs:write (and 1 more)");
        assert_eq!(body["workflow_id"], question.id.to_string());
        assert_eq!(body["context"]["arguments"], json!({ "path": "/a", "token": "[redacted]" }));
        assert_eq!(body["approval_context"]["type"], "tool_permission");
        assert_eq!(body["asks"][1]["tool"], "fs:move");
        assert_eq!(body["asks"][1]["id"], 2);
        assert_eq!(body["expires_at"], "1970-01-01T00:00:00.000Z");
        assert!(!body.to_string().contains("s3cret"));
    }
}
