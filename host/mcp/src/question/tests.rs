//! Tests how a question is answered to a client that cannot ask.

use super::{DecisionWay, answer_fields};
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
        Ask::new(AskKind::ToolPermission, Some(CallId::numbered(call)), tool, arguments, "it asks")
    };
    let asks = vec![ask(1, "fs:write"), ask(2, "fs:move")];
    let question = Question::new(RunId::new(), "x.ts", Timestamp(0), Some(Timestamp(0)), asks);
    let body = answer_fields(&question, DecisionWay::Caller, &Redactor::new());
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
    assert_eq!(body["asks"][1]["digest"], question.asks[1].short_digest());
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
    let body = answer_fields(&asked, DecisionWay::Caller, &Redactor::new());
    let fields = body["asks"].as_array().expect("asks");
    assert_eq!(fields.len(), 300);
    assert!(fields[49]["arguments"].is_object() && fields[50].get("arguments").is_none());
    assert!(fields[0].get("arguments").is_none() && body["context"]["arguments"].is_object());
    let last = &fields[299];
    assert_eq!((&last["id"], &last["type"]), (&json!(300), &json!("tool_permission")));
    assert_eq!(last["digest"], asked.asks[299].short_digest());
    assert!(last["lines"][1].as_str().expect("a line").contains("\"n\":300"), "{last}");
    let text = body.to_string();
    assert!(text.len() < 600_000 && !text.contains("s3cret"), "{}", text.len());
}

#[test]
fn every_kind_says_what_it_is_about() {
    let package =
        Package::new("serena", Ecosystem::Npm, "serena", "0.5.0", "registry", "npx serena");
    let variables = MissingVariables::new("tavily", vec!["TAVILY_API_KEY".into()], "/p/.env");
    let trust = TrustNeed::new("/p", Vec::new(), "not trusted", vec!["starts `x`\u{202e}".into()]);
    let difference = Difference::new("description", Some("a".into()), Some("b".repeat(5_000)));
    let change = ToolChange::new(ChangeBaseline::Grant, vec![difference; 99]);
    let body = |kind, need: Option<Need>| {
        let mut ask = Ask::new(kind, Some(CallId::numbered(1)), "s:t", json!({}), "why");
        ask.need = need;
        let asked = Question::new(RunId::new(), "x.ts", Timestamp(0), None, vec![ask]);
        answer_fields(&asked, DecisionWay::Caller, &Redactor::new())
    };
    let body = |need: Need| body(need.kind(), Some(need));
    let install = body(Need::Install(package));
    assert_eq!(install["description"], "Approval required to install serena@0.5.0");
    assert_eq!(install["approval_type"], "dependency");
    let mut dependency = json!({ "name": "serena", "version": "0.5.0", "install": "npx serena" });
    assert_eq!(install["approval_context"]["type"], "dependency_install");
    assert_eq!(install["approval_context"]["dependency"], dependency);
    dependency["source"] = json!("registry");
    assert_eq!(install["context"]["dependency"], dependency);
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
        answer_fields(&asked, DecisionWay::Caller, &Redactor::new())["approval_context"]["type"],
        "uncertain_call"
    );
    assert_eq!(
        answer_fields(&asked, DecisionWay::Caller, &Redactor::new())["answer_with"],
        format!("pml approve {}", asked.id)
    );
}
#[test]
fn each_thing_is_said_once() {
    let ask = |call, tool: &str| {
        let arguments = json!({ "path": format!("/notes/{call}.txt") });
        Ask::new(
            AskKind::ToolPermission,
            Some(CallId::numbered(call)),
            tool,
            arguments,
            "the policy says to ask",
        )
    };
    let asks = vec![ask(1, "fs:write"), ask(2, "fs:move")];
    let mut asked = Question::new(RunId::new(), "x.ts", Timestamp(0), None, asks);
    asked.id = "00000000-0000-4000-8000-000000000001".parse().expect("an id");
    let mut body = answer_fields(&asked, DecisionWay::Caller, &Redactor::new());
    for text in ["/notes/1.txt", "/notes/2.txt"] {
        assert_eq!(body.to_string().matches(text).count(), 1, "{text}");
    }
    for ask in body["asks"].as_array_mut().expect("asks") {
        ask["digest"] = json!("[digest]");
    }
    insta::assert_snapshot!(pml::json::to_string_pretty(&body).expect("JSON"), @r#"
    {
      "success": false,
      "approval_required": true,
      "approval_type": "tool_permission",
      "description": "Approval required to call fs:write (and 1 more)",
      "context": {
        "tool": "fs:write",
        "arguments": {
          "path": "/notes/1.txt"
        }
      },
      "approval_context": {
        "type": "tool_permission",
        "tool": "fs:write",
        "workflow_id": "00000000-0000-4000-8000-000000000001"
      },
      "workflow_id": "00000000-0000-4000-8000-000000000001",
      "asks": [
        {
          "id": 1,
          "type": "tool_permission",
          "tool": "fs:write",
          "digest": "[digest]",
          "reason": "the policy says to ask",
          "options": [
            "approve",
            "always",
            "always_1",
            "decline"
          ],
          "always_with": [
            "`path` under `/notes`"
          ]
        },
        {
          "id": 2,
          "type": "tool_permission",
          "tool": "fs:move",
          "digest": "[digest]",
          "arguments": {
            "path": "/notes/2.txt"
          },
          "reason": "the policy says to ask",
          "options": [
            "approve",
            "always",
            "always_1",
            "decline"
          ],
          "always_with": [
            "`path` under `/notes`"
          ]
        }
      ],
      "options": [
        "continue",
        "always",
        "abort",
        "replan"
      ],
      "answer_with": "pml approve 00000000-0000-4000-8000-000000000001",
      "next": "show the person what is asked; when they have decided, call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved}. Or they run `answer_with` themselves"
    }
    "#);
}

#[test]
fn the_next_step_names_the_tool_that_asked_and_the_way_to_decide() {
    let steps = |script: &str, kind| {
        let ask = Ask::new(kind, Some(CallId::numbered(1)), "fs:write", json!({}), "why");
        let asked = Question::new(RunId::new(), script, Timestamp(0), None, vec![ask]);
        let step = |by| answer_fields(&asked, by, &Redactor::new())["next"].to_string();
        let ways = [DecisionWay::Caller, DecisionWay::Dialog, DecisionWay::Command];
        ways.map(step).join("\n")
    };
    insta::assert_snapshot!(steps("execute.ts", AskKind::ToolPermission), @r#"
    "show the person what is asked; when they have decided, call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved}. Or they run `answer_with` themselves"
    "the person was not ready to decide: they can run `answer_with`; call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved: true} opens the dialog again, or tells what became of it"
    "only the person can decide: they run `answer_with` in a terminal; then call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved: true} tells what became of it"
    "#);
    insta::assert_snapshot!(steps("fs:write.ts", AskKind::ToolPermission), @r#"
    "show the person what is asked; when they have decided, call the same tool, `fs:write`, with only `continue_workflow`: {workflow_id, approved}. Or they run `answer_with` themselves"
    "the person was not ready to decide: they can run `answer_with`; call the same tool, `fs:write`, with only `continue_workflow`: {workflow_id, approved: true} opens the dialog again, or tells what became of it"
    "only the person can decide: they run `answer_with` in a terminal; then call the same tool, `fs:write`, with only `continue_workflow`: {workflow_id, approved: true} tells what became of it"
    "#);
    assert_eq!(steps("execute.ts", AskKind::Integrity), steps("execute.ts", AskKind::Trust));
    insta::assert_snapshot!(steps("execute.ts", AskKind::Trust), @r#"
    "only the person can decide: they run `answer_with` in a terminal; then call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved: true} tells what became of it"
    "the person was not ready to decide: they can run `answer_with`; call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved: true} opens the dialog again, or tells what became of it"
    "only the person can decide: they run `answer_with` in a terminal; then call the same tool, `execute`, with only `continue_workflow`: {workflow_id, approved: true} tells what became of it"
    "#);
}
