//! The fields of an answer that asks.

use super::next_step::{DecisionWay, next_step};
use crate::ask_choice::offers;
use pml::json::{Map, Value, json};
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
pub(crate) fn answer_fields(question: &Question, by: DecisionWay, redactor: &Redactor) -> Value {
    let id = question.id.to_string();
    let asks = question.asks.iter().enumerate();
    let asks: Vec<Value> = asks.map(|(index, ask)| ask_fields(index, ask, redactor)).collect();
    let mut body = json!({ "success": false, "approval_required": true });
    if let Some(first) = question.asks.first() {
        let more = match question.asks.len() {
            1 => String::new(),
            many => format!(" (and {} more)", many - 1),
        };
        body["approval_type"] = json!(first.kind);
        body["description"] = format!("{}{more}", describe(first)).into();
        body["context"] = context(first, redactor);
        body["approval_context"] = approval_context(first, &id);
    }
    body["workflow_id"] = id.as_str().into();
    body["asks"] = asks.into();
    body["options"] = json!(["continue", "always", "abort", "replan"]);
    body["answer_with"] = format!("pml approve {id}").into();
    body["next"] = next_step(question, by).into();
    if let Some(end) = question.expires_at {
        body["expires_at"] = end.to_string().into();
    }
    body
}

/// Returns what older clients read of a question.
fn approval_context(first: &Ask, id: &str) -> Value {
    let mut approval = json!({ "type": context_type(first.kind), "tool": shown(&first.tool) });
    if let Some(Need::Install(package)) = &first.need {
        approval["dependency"] = json!({
            "name": shown(&package.name),
            "version": shown(&package.version),
            "install": shown(&package.install),
        });
    }
    approval["workflow_id"] = id.into();
    approval
}

/// Describes an ask. The call of the first one is in `context`; of very many, the last ones are
/// summarised.
fn ask_fields(index: usize, ask: &Ask, redactor: &Redactor) -> Value {
    let mut fields = json!({
        "id": ask.id,
        "type": ask.kind,
        "tool": shown(&ask.tool),
        "digest": ask.short_digest(),
    });
    if index >= MAX_ASKS {
        fields["lines"] = json!(lines_of_ask_with(ask, redactor));
        return fields;
    }
    if index > 0 {
        fields["arguments"] = arguments(ask, redactor);
        add_need(&mut fields, ask);
    }
    fields["reason"] = redactor.redact_text(&ask.reason).into();
    fields["options"] = offers(ask).iter().map(|offer| offer.keyword()).collect();
    let within = suggest_constraints(ask);
    if !within.is_empty() {
        // In the order of `always_1`, `always_2` and so on.
        fields["always_with"] = within.iter().map(|within| describe_constraints(within)).collect();
    }
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

/// Describes a package, without what it does not have.
fn dependency(package: &Package) -> Value {
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.into(), value);
    add("name", shown(&package.name).into());
    add("version", shown(&package.version).into());
    add("install", shown(&package.install).into());
    add("source", shown(&package.source).into());
    if let Some(size) = package.size {
        add("size", size.into());
    }
    if let Some(integrity) = &package.integrity {
        add("integrity", shown(integrity).into());
    }
    if let Some(packages) = package.packages {
        add("packages", packages.into());
    }
    if let Some(closure) = &package.closure {
        add("closure", shown(closure).into());
    }
    if !package.beside.is_empty() {
        add("beside", package.beside.iter().map(|one| shown(one)).collect());
    }
    if let Some(starts) = package.starts_other() {
        add("starts", shown(starts).into());
    }
    if package.scripts {
        add("scripts", true.into());
    }
    Value::Object(fields)
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
