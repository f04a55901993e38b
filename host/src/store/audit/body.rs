//! The body of an audit entry, as it is hashed and stored: JSON without secrets, of bounded size.
//!
//! Policy for change: entries are stored for ever. Fields and kinds may be added; none is renamed.

use super::{AuditEvent, AuditNote};
use crate::model::{Ask, Constraint, Decision, fold_middle, redact};
use serde_json::{Map, Value, json};

/// Maximum characters of arguments and results: enough to see what was decided, however large they
/// were.
const ARGUMENTS: usize = 4 << 10;

/// Maximum characters of any other text.
const TEXT: usize = 1_000;

/// Maximum members of any list. An entry for a question with more asks also has their count.
const ITEMS: usize = 64;

/// Returns entry `number` of the trail as JSON.
pub(in crate::store) fn body(number: u64, note: &AuditNote) -> Value {
    let what = json!({ "number": number, "at": note.at.to_string(), "what": note.event.kind() });
    let run = note.run.map(|run| json!({ "run_id": run })).unwrap_or_default();
    let all = [what, run, fields(&note.event)].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    bounded(redact(&Value::Object(all.flatten().collect::<Map<_, _>>())))
}

fn fields(what: &AuditEvent) -> Value {
    match what {
        AuditEvent::Asked(question) => json!({
            "workflow_id": question.id,
            "script": question.script,
            "expires_at": question.expires_at.map(|at| at.to_string()),
            "ask_count": question.asks.len(),
            "asks": question.asks.iter().take(ITEMS).map(ask).collect::<Vec<_>>(),
        }),
        AuditEvent::Decided { tool, kind, decided } => json!({
            "workflow_id": decided.question,
            "ask": decided.ask,
            "tool": tool,
            "kind": kind,
            "decision": decided.decision.name(),
            "digest": decided.digest,
            "result": match &decided.decision {
                Decision::Result(result) => arguments(result),
                _ => Value::Null,
            },
            "only_for": match &decided.decision {
                Decision::AlwaysWithin(constraints) => self::constraints(constraints),
                _ => Value::Null,
            },
            "who": decided.who,
            "channel": decided.channel,
        }),
        AuditEvent::Withdrawn { question, reason } => {
            json!({ "workflow_id": question, "reason": reason })
        }
        AuditEvent::Expired { question } => json!({ "workflow_id": question }),
        AuditEvent::Refused { question, who, channel, reason } => {
            json!({ "workflow_id": question, "who": who, "channel": channel, "reason": reason })
        }
        AuditEvent::Granted { grant, who, channel, file } => json!({
            "tool": grant.tool,
            "origin": grant.origin,
            "only_for": constraints(&grant.constraints),
            "who": who,
            "channel": channel,
            "file": file,
        }),
        AuditEvent::Lapsed { tool, differences } => {
            json!({ "tool": tool, "differences": differences })
        }
        AuditEvent::Installed { package, digest } => {
            json!({ "package": package, "digest": digest })
        }
        AuditEvent::Changed { folder, changes, who, channel } => {
            json!({ "folder": folder, "changes": changes, "who": who, "channel": channel })
        }
        AuditEvent::Trusted { folder, files, who, channel }
        | AuditEvent::TrustedOnce { folder, files, who, channel } => {
            json!({ "folder": folder, "files": files, "who": who, "channel": channel })
        }
        AuditEvent::Distrusted { folder, who, channel } => {
            json!({ "folder": folder, "who": who, "channel": channel })
        }
        AuditEvent::Imported { from, runs, left, entries, head } => {
            json!({ "from": from, "runs": runs, "left": left, "entries": entries, "head": head })
        }
        AuditEvent::Adopted { from, to, who, channel } => {
            json!({ "from": from, "to": to, "who": who, "channel": channel })
        }
        AuditEvent::Accepted { who, channel, reason } => {
            json!({ "who": who, "channel": channel, "reason": reason })
        }
    }
}

fn ask(ask: &Ask) -> Value {
    json!({
        "ask": ask.id,
        "kind": ask.kind,
        "call": ask.call,
        "tool": ask.tool,
        "digest": ask.digest(),
        "arguments": arguments(&ask.arguments),
        "reason": ask.reason,
        "origin": ask.origin,
        "need": ask.need,
    })
}

/// Returns arguments or a result: the value itself if it is small, else the beginning and the end
/// of its text.
fn arguments(value: &Value) -> Value {
    // Redacts before cutting: half a secret no longer looks like one.
    let redacted = redact(value);
    let text = redacted.to_string();
    match text.chars().count() > ARGUMENTS {
        true => json!({ "cut": true, "text": fold_middle(&text, ARGUMENTS) }),
        false => redacted,
    }
}

fn constraints(constraints: &[Constraint]) -> Value {
    constraints.iter().map(constraint).collect()
}

/// Returns a condition as JSON. Its value is redacted if the argument is a secret.
fn constraint(constraint: &Constraint) -> Value {
    let (how, value) = constraint.is.written();
    let mut named = redact(&json!({ constraint.argument.as_str(): value }));
    let value = named.as_object_mut().and_then(|named| named.values_mut().next().map(Value::take));
    json!({ "argument": constraint.argument, how: value.map(|value| arguments(&value)) })
}

/// Folds texts and cuts lists that are too long, at any depth. Arguments were folded before.
fn bounded(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(fold_middle(&text, TEXT)),
        Value::Array(items) => items.into_iter().take(ITEMS).map(bounded).collect(),
        Value::Object(fields) => {
            let small = |(key, value)| match key {
                key if key == "arguments" || key == "result" => (key, value),
                key => (key, bounded(value)),
            };
            Value::Object(fields.into_iter().map(small).collect())
        }
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::body;
    use crate::model::{
        Ask, AskId, AskKind, Condition, Constraint, Decision, Ecosystem, Grant, Need, Package,
        Question, QuestionId, RecordedDecision, RunId, Timestamp,
    };
    use crate::store::{AuditEvent, AuditNote};
    use serde_json::{Value, json};

    fn noted(what: AuditEvent) -> Value {
        body(7, &AuditNote::new(Timestamp(1_000_000), None, what))
    }

    #[test]
    fn secrets_are_out_before_anything_is_kept() {
        let arguments = json!({ "token": "t0p", "url": "https://me:t0p@host/", "n": 1 });
        let ask =
            Ask::new(AskKind::ToolPermission, None, "a:b", arguments, "Bearer t0p-t0p-t0p-t0p-t0p");
        let run = RunId::new();
        let question = Question::new(run, "main.ts", Timestamp(0), None, vec![ask]);
        let asked = noted(AuditEvent::Asked(question.clone()));
        assert_eq!(asked["asks"][0]["arguments"]["n"], 1);
        assert!(!asked.to_string().contains("t0p"), "{asked}");
        let only = Constraint::new("api_key", Condition::Equals("t0p".into()));
        let decision = Decision::AlwaysWithin(vec![only.clone()]);
        let decided =
            RecordedDecision::new(question.id, AskId(1), decision, "ann", "terminal", Timestamp(0));
        let decided = noted(AuditEvent::decided(&question.asks[0], decided));
        assert_eq!(
            decided["only_for"],
            json!([{ "argument": "api_key", "equals": "[hidden: 3 characters]" }])
        );
        let tool = "a:b".parse().unwrap();
        let grant = Grant::new(tool, None, vec![only]);
        let (who, channel, file) = ("ann".into(), "terminal".into(), ".pml.json".into());
        let granted = noted(AuditEvent::Granted { grant, who, channel, file });
        assert!(!granted.to_string().contains("t0p"), "{granted}");
    }

    #[test]
    fn what_says_which_thing_it_was_is_kept_whole() {
        let mut package =
            Package::new("s", Ecosystem::Npm, "@scope/serena", "0.5.0", "registry", "npx");
        package.integrity = Some(format!("sha512-{}==", "aB3/".repeat(21)));
        let digest = Some("ab".repeat(32));
        let installed =
            noted(AuditEvent::Installed { package: package.clone(), digest: digest.clone() });
        assert_eq!(installed["package"], json!(package));
        assert_eq!(installed["digest"], json!(digest));
        let mut ask = Ask::new(AskKind::Dependency, None, "s:t", json!({}), "");
        ask.need = Some(Need::Install(package));
        let question = Question::new(RunId::new(), "m", Timestamp(0), None, vec![ask.clone()]);
        assert_eq!(noted(AuditEvent::Asked(question))["asks"][0]["need"], json!(ask.need));
    }

    #[test]
    fn a_huge_question_makes_a_small_entry() {
        let long = "ü ".repeat(100_000);
        let asks = (0..1_000).map(|_| {
            let arguments = json!({ "text": long, "list": vec![1; 100_000] });
            Ask::new(AskKind::ToolPermission, None, long.as_str(), arguments, long.as_str())
        });
        let question =
            Question::new(RunId::new(), long.as_str(), Timestamp(0), None, asks.collect());
        let asked = noted(AuditEvent::Asked(question));
        assert_eq!(
            (asked["ask_count"].as_u64(), asked["asks"].as_array().map(Vec::len)),
            (Some(1_000), Some(64))
        );
        assert!(asked.to_string().len() < 2 << 20);
        let reason = long;
        let withdrawn = noted(AuditEvent::Withdrawn { question: QuestionId::new(), reason });
        assert!(withdrawn.to_string().len() < 5_000);
    }
}
