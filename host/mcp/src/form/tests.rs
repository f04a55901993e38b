//! Tests how a dialog shows a question, and which answers it accepts.

use super::{ChoiceFormat, FormAnswer, elicitation, read_answer, waiting_message};
use pml::json::{Value, json};
use pml::{
    Ask, CallId, Decision, Question, RunId, Timestamp,
    approval::{
        AskId, AskKind, ChangeBaseline, Condition, Constraint, Decisions, Difference,
        MissingVariables, Need, ToolChange, TrustNeed,
    },
    text::Redactor,
};
use rmcp::model::{ElicitResult, ElicitationAction};

fn ask(kind: AskKind, call: u64, tool: &str) -> Ask {
    Ask::new(kind, Some(CallId::numbered(call)), tool, json!({ "path": "/a" }), "`*` asks")
}

fn question(asks: Vec<Ask>) -> Question {
    Question::new(RunId::new(), "x.ts", Timestamp(0), None, asks)
}

fn permission(count: u64) -> Question {
    question((1..=count).map(|n| ask(AskKind::ToolPermission, n, "fs:write")).collect())
}

fn form(question: &Question) -> Value {
    json!(elicitation(question, ChoiceFormat::Titled, &Redactor::new()))
}

fn message(asks: &[Ask], all: usize) -> String {
    super::message::message(asks, all, &Redactor::new())
}

fn accept(question: &Question, content: Value) -> FormAnswer {
    read_answer(question, &ElicitResult::new(ElicitationAction::Accept).with_content(content))
}

fn keywords(field: &Value) -> Vec<&str> {
    field["oneOf"].as_array().unwrap().iter().map(|one| one["const"].as_str().unwrap()).collect()
}

fn one(decision: Decision) -> FormAnswer {
    FormAnswer::Decided(Decisions::Each([(AskId(1), decision)].into()))
}

#[test]
fn one_ask_is_a_few_lines_and_one_field() {
    let asked = permission(1);
    let form = form(&asked);
    let lines: Vec<&str> = form["message"].as_str().unwrap().lines().collect();
    assert_eq!(
        lines,
        [
            "tool      │ fs:write",
            "call with │ {\"path\":\"/a\"}",
            "why       │ `*` asks",
            &format!("digest    │ {}", asked.asks[0].short_digest()),
        ]
    );
    let schema = &form["requestedSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
    let field = &schema["properties"]["decision"];
    assert_eq!((&field["type"], &field["default"]), (&json!("string"), &json!("approve")));
    assert_eq!(keywords(field), ["approve", "always", "always_1", "decline", "replan"]);
    assert!(schema.get("required").is_none_or(|it| it.as_array().unwrap().is_empty()), "{schema}");
}

#[test]
fn an_older_client_gets_the_same_choices_as_it_knows_them() {
    let form = json!(elicitation(&permission(1), ChoiceFormat::Names, &Redactor::new()));
    let field = &form["requestedSchema"]["properties"]["decision"];
    assert_eq!(field["enum"], json!(["approve", "always", "always_1", "decline", "replan"]));
    assert_eq!(field["enumNames"][0], "Make this call");
    assert!(field.get("oneOf").is_none() && field.get("default").is_none(), "{field}");
}

#[test]
fn who_accepts_without_choosing_approves_and_a_choice_counts() {
    let asked = permission(1);
    let bare = ElicitResult::new(ElicitationAction::Accept);
    assert_eq!(read_answer(&asked, &bare), one(Decision::Approve));
    assert_eq!(accept(&asked, json!({})), one(Decision::Approve));
    assert_eq!(accept(&asked, json!({ "decision": "always" })), one(Decision::Always));
    let within = vec![Constraint::new("path", Condition::Under("/a".into()))];
    let always = accept(&asked, json!({ "decision": "always_1" }));
    assert_eq!(always, one(Decision::AlwaysWithin(within)));
    assert_eq!(accept(&asked, json!({ "decision": "decline" })), one(Decision::Decline));
    let replan = FormAnswer::Decided(Decisions::All(Decision::Replan));
    assert_eq!(accept(&asked, json!({ "decision": "replan" })), replan);
    let all = |action| read_answer(&asked, &ElicitResult::new(action));
    let abort = FormAnswer::Decided(Decisions::All(Decision::Abort));
    assert_eq!(all(ElicitationAction::Decline), abort);
    assert_eq!(all(ElicitationAction::Cancel), FormAnswer::Nothing);
}

#[test]
fn what_was_not_offered_approves_nothing() {
    let asked = permission(1);
    for content in [
        json!({ "decision": "yes" }),
        json!({ "decision": true }),
        json!({ "decision": "always_2" }),
        json!({ "decision": ["approve"] }),
        json!({ "other": "approve" }),
        json!({ "ask_1": "approve" }),
        json!("approve"),
        json!([]),
    ] {
        assert_eq!(accept(&asked, content.clone()), FormAnswer::Nothing, "{content}");
    }
    let key = question(vec![ask(AskKind::ApiKeyRequired, 1, "x:y")]);
    assert_eq!(accept(&key, json!({ "decision": "always" })), FormAnswer::Nothing);
}

#[test]
fn several_asks_are_summed_up_first_and_decided_one_by_one() {
    let mut asks: Vec<_> = (1..=2).map(|n| ask(AskKind::ToolPermission, n, "fs:write")).collect();
    asks.push(ask(AskKind::UncertainCall, 3, "bank:pay"));
    let asked = question(asks);
    let form = form(&asked);
    let lines: Vec<&str> = form["message"].as_str().unwrap().lines().collect();
    assert_eq!(lines[0], "3 asks, decided one by one below");
    assert_eq!(lines[1], "tools     │ fs:write ×2, bank:pay");
    assert_eq!(lines[2], "why       │ `*` asks");
    assert_eq!((lines[3], lines[4]), ("ask 1", "tool      │ fs:write"));
    let fields = &form["requestedSchema"]["properties"];
    assert_eq!(keywords(&fields["ask_1"]), ["approve", "always", "always_1", "decline"]);
    assert_eq!(keywords(&fields["ask_3"]), ["approve", "decline"]);
    assert_eq!(fields["ask_3"]["title"], "3. bank:pay");
    let each = [
        (AskId(1), Decision::Decline),
        (AskId(2), Decision::Always),
        (AskId(3), Decision::Approve),
    ];
    assert_eq!(
        accept(&asked, json!({ "ask_1": "decline", "ask_2": "always" })),
        FormAnswer::Decided(Decisions::Each(each.into()))
    );
    assert_eq!(accept(&asked, json!({ "ask_3": "always" })), FormAnswer::Nothing);
    assert_eq!(accept(&asked, json!({ "decision": "approve" })), FormAnswer::Nothing);
}

#[test]
fn of_very_many_asks_only_those_that_are_shown_are_decided() {
    let asked = permission(12);
    let form = form(&asked);
    let message = form["message"].as_str().unwrap();
    let first = "12 asks: the first 9 are decided below, 3 more after them\n";
    assert!(message.starts_with(first), "{message}");
    assert!(message.contains("\nask 9\n") && !message.contains("\nask 10\n"), "{message}");
    let fields = form["requestedSchema"]["properties"].as_object().unwrap();
    let names: Vec<_> = (1..=9).map(|n| format!("ask_{n}")).collect();
    assert_eq!(fields.keys().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    let nine: std::collections::BTreeMap<_, _> =
        (1..=9).map(|n| (AskId(n), Decision::Approve)).collect();
    let decided = FormAnswer::Decided(Decisions::Each(nine));
    assert_eq!(accept(&asked, json!({})), decided);
    assert_eq!(read_answer(&asked, &ElicitResult::new(ElicitationAction::Accept)), decided);
    assert_eq!(accept(&asked, json!({ "ask_10": "approve" })), FormAnswer::Nothing);
    assert_eq!(accept(&asked, json!({ "decision": "approve" })), FormAnswer::Nothing);
    let abort = FormAnswer::Decided(Decisions::All(Decision::Abort));
    assert_eq!(read_answer(&asked, &ElicitResult::new(ElicitationAction::Decline)), abort);
}

#[test]
fn what_waits_is_told_by_its_tool_alone() {
    assert_eq!(waiting_message(&permission(2)), "waiting for a person: fs:write");
    let hostile = question(vec![ask(AskKind::Trust, 1, "a:b\n\x1b[2K")]);
    assert_eq!(waiting_message(&hostile), "waiting for a person: a:b\\n\\u{1b}[2K");
}

#[test]
fn what_the_first_lines_leave_out_comes_after_them() {
    let long = json!({ "text": "x".repeat(900), "path": "/etc/passwd" });
    let mut call = ask(AskKind::ToolPermission, 1, "fs:write");
    call.arguments = long;
    let shown = message(&[call], 1);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[1].contains("\"path\":\"/etc/passwd\""), "{shown}");
    assert_eq!((lines[4], lines[5]), ("", "why │ `*` asks"), "{shown}");
    // The long line is complete: it continues behind a bar.
    let whole: String = lines[6..].iter().map(|line| line.trim_start_matches("│ ")).collect();
    assert!(whole.contains(&format!("\"text\": \"{}\"", "x".repeat(900))), "{shown}");
    assert!(whole.contains("\"path\": \"/etc/passwd\""), "{shown}");
    assert_eq!(message(&[ask(AskKind::ToolPermission, 1, "fs:write")], 1).lines().count(), 4);
}

#[test]
fn what_a_folder_would_do_and_what_differs_reach_the_dialog() {
    let would: Vec<String> = (0..30).map(|n| format!("start `server-{n} --flag`")).collect();
    let mut trust = ask(AskKind::Trust, 1, "a:b");
    trust.need = Some(Need::Trust(TrustNeed::new("/p", Vec::new(), "new", would)));
    let shown = message(std::slice::from_ref(&trust), 1);
    assert!(shown.contains("\n│ start `server-29 --flag`\n"), "{shown}");
    let (before, after) = ("reads ".repeat(50), format!("{}and sends", "reads ".repeat(50)));
    let difference = Difference::new("description", Some(before), Some(after));
    let mut change = ask(AskKind::Integrity, 2, "a:b");
    change.need = Some(Need::Change(ToolChange::new(ChangeBaseline::Grant, vec![difference])));
    let shown = message(std::slice::from_ref(&change), 1);
    assert!(shown.contains("{+and sends+}"), "{shown}");
    let both = question(vec![trust, change]);
    let shown = message(&both.asks, 2);
    assert!(shown.contains("\n\nmore about ask 1\n"), "{shown}");
    assert!(shown.contains("\n\nmore about ask 2\n"), "{shown}");
}

#[test]
fn details_are_bounded_and_what_is_left_out_is_counted() {
    let would: Vec<String> = (0..400).map(|n| format!("start `{n} {}`", "ü".repeat(900))).collect();
    let huge = |call| {
        let mut trust = ask(AskKind::Trust, call, "a:b");
        trust.need = Some(Need::Trust(TrustNeed::new("/p", Vec::new(), "new", would.clone())));
        trust
    };
    for count in [1, 2, 9] {
        let asks = question((1..=count).map(huge).collect()).asks;
        let shown = message(&asks, asks.len());
        let own = 3 + asks.len() * 71;
        assert!(shown.lines().count() <= own + 60, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 220), "{shown}");
        assert!(shown.len() <= (8 << 10) + own * 400, "{}", shown.len());
        let folded = format!(
            " lines: `pml approvals --verbose` shows all of digest {} …]\n",
            asks[0].short_digest()
        );
        assert!(shown.contains(&folded), "{shown}");
        // The end is always shown.
        assert!(shown.ends_with("\n│ {\n│   \"path\": \"/a\"\n│ }"), "{shown}");
    }
}

#[test]
fn a_key_is_never_asked_for_in_the_form() {
    let mut lacking = ask(AskKind::ApiKeyRequired, 1, "tavily:search");
    let names = vec!["TAVILY_API_KEY".to_owned()];
    lacking.need = Some(Need::Variables(MissingVariables::new("tavily", names, "/p/.env")));
    let form = form(&question(vec![lacking]));
    let fields = form["requestedSchema"]["properties"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["decision"]);
    assert_eq!(
        fields["decision"]["description"],
        "Write TAVILY_API_KEY into /p/.env, never into this dialog; then accept"
    );
}

#[test]
fn hostile_words_fake_no_line_of_ours() {
    let name = "x\nwhy       │ harmless\n\u{202e}\r\x1b[2Kask 2";
    let hostile = |call| {
        let arguments = json!({ "\nask 9\ntool": "y".repeat(5_000) });
        Ask::new(
            AskKind::ToolPermission,
            Some(CallId::numbered(call)),
            name,
            arguments,
            "\n1 asks\n".repeat(99),
        )
    };
    for count in [1, 2, 30] {
        let asked = question((1..=count).map(hostile).collect());
        let form = form(&asked);
        let shown = form["message"].as_str().unwrap();
        let (first, _) = shown.split_once("\n\n").expect("details");
        let expected = match count {
            1 => 4,
            2 => 3 + 2 * 5,
            _ => 3 + 9 * 5,
        };
        assert_eq!(first.lines().count(), expected, "{shown}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 500, "{line}");
            assert!(!line.contains(['\r', '\t', '\x1b', '\u{202e}']), "{line}");
        }
        let ours = shown.lines().filter(|line| !line.contains('│'));
        let known = |line: &str| {
            line.is_empty()
                || line.starts_with("all arguments")
                || ["ask ", "more about ask ", "[… "].iter().any(|ours| line.starts_with(ours))
        };
        let of_others: Vec<_> =
            ours.skip(usize::from(count > 1)).filter(|line| !known(line)).collect();
        assert_eq!(of_others, [""; 0]);
        for field in form["requestedSchema"]["properties"].as_object().unwrap().values() {
            let title = field["title"].as_str().unwrap();
            assert!(title.chars().count() <= 60 && !title.contains(['\n', '\x1b']), "{title}");
        }
    }
}
