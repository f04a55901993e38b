//! A question as an answer, for clients that cannot ask a person themselves.

use crate::ask_choice::offers;
use pml::json::{Value, json};
use pml::{
    Ask, Question,
    approval::{
        AskKind, Need, Package, describe_constraints, lines_of_ask_with, suggest_constraints,
    },
    text::{Redactor, escape, fold_middle},
};

/// Maximum number of bytes of arguments shown for each ask; `pml approvals` shows all of them.
const MAX_ARGUMENTS: usize = 4 << 10;

/// Maximum number of asks shown in full. The others are shown in short form, because one answer for
/// all applies to them too.
const MAX_ASKS: usize = 50;

/// Maximum number of differences, names and lines shown for each ask.
const MAX_PARTS: usize = 20;

/// Maximum number of characters of each of them.
const MAX_WIDTH: usize = 1_000;

/// Returns the fields of an `approval_required` answer. The top-level fields describe the first
/// ask.
pub(super) fn answer_fields(question: &Question, redactor: &Redactor) -> Value {
    let id = question.id.to_string();
    let asks = question.asks.iter().enumerate();
    let asks: Vec<Value> = asks.map(|(index, ask)| ask_or_summary(index, ask, redactor)).collect();
    let mut body = json!({
        "success": false,
        "approval_required": true,
        "workflow_id": id,
        "options": ["continue", "always", "abort", "replan"],
        "asks": asks,
        "answer_with": format!("pml approve {id}"),
        "expires_at": question.expires_at.map(|at| at.to_string()),
    });
    if let Some(first) = question.asks.first() {
        let more = match question.asks.len() {
            1 => String::new(),
            many => format!(" (and {} more)", many - 1),
        };
        body["approval_type"] = json!(first.kind);
        body["digest"] = first.short_digest().into();
        body["description"] = format!("{}{more}", describe(first)).into();
        body["context"] = context(first, redactor);
        let mut approval =
            json!({ "type": context_type(first.kind), "tool": first.tool, "workflow_id": id });
        if let Some(Need::Install(package)) = &first.need {
            approval["dependency"] = dependency(package);
        }
        body["approval_context"] = approval;
    }
    body
}

fn ask_or_summary(index: usize, asked: &Ask, redactor: &Redactor) -> Value {
    match index < MAX_ASKS {
        true => ask_fields(asked, redactor),
        false => json!({
            "id": asked.id,
            "type": asked.kind,
            "tool": shown(&asked.tool),
            "digest": asked.digest(),
            "lines": lines_of_ask_with(asked, redactor),
        }),
    }
}

fn ask_fields(ask: &Ask, redactor: &Redactor) -> Value {
    let options: Vec<String> = offers(ask).iter().map(|offer| offer.keyword()).collect();
    let mut fields = json!({
        "id": ask.id,
        "type": ask.kind,
        "tool": ask.tool,
        "digest": ask.digest(),
        "arguments": arguments(ask, redactor),
        "reason": redactor.redact_text(&ask.reason),
        "description": describe(ask),
        "lines": lines_of_ask_with(ask, redactor),
        "options": options,
    });
    let within = suggest_constraints(ask);
    if !within.is_empty() {
        // In the order of `always_1`, `always_2` and so on.
        fields["always_with"] = within.iter().map(|within| describe_constraints(within)).collect();
    }
    add_need(&mut fields, ask);
    fields
}

fn context(ask: &Ask, redactor: &Redactor) -> Value {
    let mut context = json!({ "tool": ask.tool, "arguments": arguments(ask, redactor) });
    add_need(&mut context, ask);
    context
}

/// Adds the need of the call.
fn add_need(fields: &mut Value, ask: &Ask) {
    let few = |texts: &[String]| -> Vec<String> {
        let mut few: Vec<String> = texts.iter().map(|text| shown(text)).collect();
        if let Some(left_out) = few.len().checked_sub(MAX_PARTS).filter(|over| *over > 0) {
            let (start, end) = (MAX_PARTS - MAX_PARTS / 2, few.len() - MAX_PARTS / 2);
            few.splice(start..end, [format!("[… {left_out} more …]")]);
        }
        few
    };
    match &ask.need {
        Some(Need::Install(package)) => fields["dependency"] = dependency(package),
        Some(Need::Variables(variables)) => {
            fields["variables"] = json!(few(&variables.names));
            fields["file"] = shown(&variables.file).into();
        }
        Some(Need::Trust(trust)) => {
            fields["folder"] = shown(&trust.folder).into();
            fields["would"] = json!(few(&trust.would));
        }
        Some(Need::Change(change)) => {
            let parts = change.differences.iter().take(MAX_PARTS).map(|part| {
                let text = |text: &Option<String>| text.as_deref().map(shown);
                json!({ "part": shown(&part.part), "before": text(&part.before), "after": text(&part.after) })
            });
            fields["differences"] = parts.collect();
            fields["since"] = json!(change.since);
        }
        _ => {}
    }
}

fn dependency(package: &Package) -> Value {
    json!({
        "name": shown(&package.name),
        "version": shown(&package.version),
        "install": shown(&package.install),
        "size": package.size,
        "source": shown(&package.source),
        "integrity": package.integrity.as_deref().map(shown),
        "beside": package.beside.iter().map(|one| shown(one)).collect::<Vec<_>>(),
        "starts": package.starts_other().map(shown),
        "scripts": package.scripts,
    })
}

/// Escapes and shortens text from others.
fn shown(text: &str) -> String {
    fold_middle(&escape(text), MAX_WIDTH)
}

/// Returns the arguments without secrets. Of large arguments it returns the beginning, the end and
/// the size.
fn arguments(ask: &Ask, redactor: &Redactor) -> Value {
    let redacted = redactor.redact(&ask.arguments);
    let text = redacted.to_string();
    match text.len() > MAX_ARGUMENTS {
        true => json!({ "folded": fold_middle(&text, MAX_ARGUMENTS), "size": text.len() }),
        false => redacted,
    }
}

fn describe(ask: &Ask) -> String {
    let tool = escape(&ask.tool);
    match (ask.kind, &ask.need) {
        (AskKind::ToolPermission, _) => format!("Approval required to call {tool}"),
        (AskKind::Dependency, Some(Need::Install(package))) => {
            format!(
                "Approval required to install {}@{}",
                shown(&package.name),
                shown(&package.version)
            )
        }
        (AskKind::Dependency, _) => format!("Approval required to install what {tool} needs"),
        (AskKind::ApiKeyRequired, Some(Need::Variables(variables))) => {
            let (names, file) = (variables.names.join(", "), &variables.file);
            format!("{tool} needs {}: write it into {}", shown(&names), shown(file))
        }
        (AskKind::ApiKeyRequired, _) => format!("A key is missing for {tool}"),
        (AskKind::Integrity, _) => format!("{tool} is not what was approved before"),
        (AskKind::UncertainCall, _) if ask.call.is_none() => {
            format!("{tool} was called by the earlier run and is not called again")
        }
        (AskKind::UncertainCall, _) => {
            format!(
                "Nobody knows what became of a call of {tool}: approval required to call it AGAIN"
            )
        }
        (AskKind::Trust, Some(Need::Trust(trust))) => {
            format!(
                "{tool} is configured by files that nobody has trusted: {}",
                shown(&trust.folder)
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
    use super::answer_fields;
    use pml::json::json;
    use pml::{
        Ask, CallId, Question, RunId, Timestamp,
        approval::{
            AskKind, ChangeBaseline, Difference, Ecosystem, MissingVariables, Need, Package,
            ToolChange, TrustNeed,
        },
        text::Redactor,
    };

    #[test]
    fn the_first_ask_is_mirrored_at_the_top_and_secrets_are_left_out() {
        let ask = |call, tool: &str| {
            let arguments = json!({ "path": "/a", "token": "s3cret" });
            Ask::new(
                AskKind::ToolPermission,
                Some(CallId::numbered(call)),
                tool,
                arguments,
                "it asks",
            )
        };
        let asks = vec![ask(1, "fs:write"), ask(2, "fs:move")];
        let question = Question::new(RunId::new(), "x.ts", Timestamp(0), Some(Timestamp(0)), asks);
        let body = answer_fields(&question, &Redactor::new());
        assert_eq!(body["approval_required"], true);
        assert_eq!(body["approval_type"], "tool_permission");
        assert_eq!(body["description"], "Approval required to call fs:write (and 1 more)");
        assert_eq!(body["workflow_id"], question.id.to_string());
        assert_eq!(
            body["context"]["arguments"],
            json!({ "path": "/a", "token": "[hidden: 6 characters]" })
        );
        assert_eq!(body["approval_context"]["type"], "tool_permission");
        assert_eq!(body["asks"][1]["tool"], "fs:move");
        assert_eq!(body["asks"][1]["id"], 2);
        assert_eq!(body["digest"], question.asks[0].short_digest());
        assert_eq!(body["asks"][1]["digest"], question.asks[1].digest());
        assert_eq!(body["expires_at"], "1970-01-01T00:00:00.000Z");
        assert!(!body.to_string().contains("s3cret"));
    }

    #[test]
    fn no_ask_is_left_out_since_one_answer_is_for_all() {
        let ask = |n: u64| {
            let arguments = json!({ "n": n, "text": "x".repeat(50_000), "token": "s3cret" });
            Ask::new(
                AskKind::ToolPermission,
                Some(CallId::numbered(n)),
                "fs:write",
                arguments,
                "it asks",
            )
        };
        let asks = (1..=300).map(ask).collect();
        let asked = Question::new(RunId::new(), "x.ts", Timestamp(0), None, asks);
        let body = answer_fields(&asked, &Redactor::new());
        let fields = body["asks"].as_array().expect("asks");
        assert_eq!(fields.len(), 300);
        assert!(fields[49]["arguments"].is_object() && fields[50].get("arguments").is_none());
        let last = &fields[299];
        assert_eq!((&last["id"], &last["type"]), (&json!(300), &json!("tool_permission")));
        assert_eq!(last["digest"].as_str().map(str::len), Some(64));
        assert!(last["lines"][1].as_str().expect("a line").contains("\"n\":300"), "{last}");
        let text = body.to_string();
        assert!(text.len() < 600_000 && !text.contains("s3cret"), "{}", text.len());
    }

    #[test]
    fn every_kind_says_what_it_is_about() {
        let package =
            Package::new("serena", Ecosystem::Npm, "serena", "0.5.0", "registry", "npx serena");
        let variables = MissingVariables::new("tavily", vec!["TAVILY_API_KEY".into()], "/p/.env");
        let trust =
            TrustNeed::new("/p", Vec::new(), "not trusted", vec!["starts `x`\u{202e}".into()]);
        let difference = Difference::new("description", Some("a".into()), Some("b".repeat(5_000)));
        let change = ToolChange::new(ChangeBaseline::Grant, vec![difference; 99]);
        let body = |kind, need: Option<Need>| {
            let mut ask = Ask::new(kind, Some(CallId::numbered(1)), "s:t", json!({}), "why");
            ask.need = need;
            let asked = Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![ask]);
            answer_fields(&asked, &Redactor::new())
        };
        let body = |need: Need| body(need.kind(), Some(need));
        let install = body(Need::Install(package));
        assert_eq!(install["description"], "Approval required to install serena@0.5.0");
        assert_eq!(install["approval_type"], "dependency");
        let dependency = json!({ "name": "serena", "version": "0.5.0", "install": "npx serena",
            "size": null, "source": "registry",
            "integrity": null, "beside": [], "starts": null, "scripts": false });
        assert_eq!(install["context"]["dependency"], dependency);
        assert_eq!(install["approval_context"]["type"], "dependency_install");
        assert_eq!(install["approval_context"]["dependency"], dependency);
        assert_eq!(install["asks"][0]["options"], json!(["approve", "always", "decline"]));
        let key = body(Need::Variables(variables));
        assert_eq!(key["approval_context"]["type"], "api_key_required");
        assert_eq!(key["context"]["variables"], json!(["TAVILY_API_KEY"]));
        assert_eq!(key["context"]["file"], "/p/.env");
        assert_eq!(key["asks"][0]["options"], json!(["approve", "decline"]));
        let trust = body(Need::Trust(trust));
        assert_eq!(trust["approval_context"]["type"], "trust");
        assert_eq!(trust["context"]["folder"], "/p");
        assert_eq!(trust["context"]["would"], json!(["starts `x`\\u{202e}"]));
        let integrity = body(Need::Change(change));
        assert_eq!(integrity["approval_context"]["type"], "integrity");
        assert_eq!(integrity["context"]["differences"].as_array().map(Vec::len), Some(20));
        assert!(integrity.to_string().len() < 100_000);
        let uncertain =
            Ask::new(AskKind::UncertainCall, Some(CallId::numbered(1)), "s:t", json!({}), "why");
        let asked = Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![uncertain]);
        assert_eq!(
            answer_fields(&asked, &Redactor::new())["approval_context"]["type"],
            "uncertain_call"
        );
        assert_eq!(
            answer_fields(&asked, &Redactor::new())["answer_with"],
            format!("pml approve {}", asked.id)
        );
    }
}
