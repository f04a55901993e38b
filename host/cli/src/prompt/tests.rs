//! Tests of the prompt, in which the test is a person at the other end of a pseudo-terminal.
#![cfg(unix)]

use super::TerminalPrompt;
use crate::always_choices;
use crate::execute::JournalStorage;
use crate::terminal::Terminal;
use pml::json::{Value, json};
use pml::{
    Answer, Approver, Ask, CallId, Decision, Question, RunId, Secret, Timestamp,
    approval::{AskId, AskKind, Decisions, Ecosystem, MissingVariables, Need, Package, TrustNeed},
    text::Redactor,
};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// A value that a server is given and that the redactor knows.
const KNOWN: &str = "k; n0wn34";

/// The person: the other end of the terminal, and the output that was read but not yet returned.
struct Person(File, String);

impl Person {
    fn at_terminal() -> (Person, TerminalPrompt) {
        Person::with_suggester(pml::approval::suggest_constraints)
    }

    fn with_suggester(suggester: always_choices::ConstraintSuggester) -> (Person, TerminalPrompt) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.as_bytes());
        let slave = File::options().read(true).write(true).open(path).unwrap();
        let prompt = TerminalPrompt::new(
            Terminal::from_file(slave),
            JournalStorage::InMemory,
            suggester,
            Arc::new(|| Redactor::with_secrets([Secret::new(KNOWN)])),
        );
        (Person(master.into(), String::new()), prompt)
    }

    fn types(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }

    /// Reads until the terminal shows this text, and returns everything up to it.
    fn sees(&mut self, text: &str) -> String {
        let mut shown = std::mem::take(&mut self.1);
        let mut buffer = [0; 4096];
        loop {
            if let Some(at) = shown.find(text) {
                self.1 = shown.split_off(at + text.len());
                return shown;
            }
            let length = self.0.read(&mut buffer).unwrap();
            shown.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }
}

fn ask(kind: AskKind, tool: &str) -> Ask {
    let arguments = json!({ "amount": 1, "token": "t0p", "deep": { "er": "\u{1b}[2J" } });
    Ask::new(kind, Some(CallId::numbered(1)), tool, arguments, "policy")
}

fn question(asks: Vec<Ask>) -> Question {
    Question::new(RunId::new(), "main.ts", Timestamp(0), None, asks)
}

/// Asks in a thread of its own, as a run does, while the test plays the person.
fn ask_in_thread(
    prompt: &TerminalPrompt,
    asks: Vec<Ask>,
) -> std::thread::JoinHandle<Option<Answer>> {
    let (prompt, question) = (prompt.clone(), question(asks));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(prompt.ask(question))
    })
}

fn decisions(answer: Option<Answer>) -> Vec<(u32, Decision)> {
    match answer.unwrap().decisions {
        Decisions::Each(each) => each.into_iter().map(|(AskId(id), each)| (id, each)).collect(),
        Decisions::All(decision) => vec![(0, decision)],
    }
}

#[test]
fn each_ask_is_answered_in_turn() {
    let (mut person, prompt) = Person::at_terminal();
    let permission = |tool| ask(AskKind::ToolPermission, tool);
    let asking =
        ask_in_thread(&prompt, vec![permission("a:b"), permission("c:d"), permission("a:b")]);
    let shown = person.sees("> ");
    assert!(shown.contains("3 calls need your approval") && shown.contains("1 of 3"), "{shown}");
    assert!(shown.contains("tool      │ a:b") && !shown.contains("t0p"), "{shown}");
    person.types("a\n");
    assert!(person.sees("> ").contains("│ c:d"));
    person.types("n\n");
    let answer = asking.join().unwrap();
    assert_eq!(answer.as_ref().map(|answer| answer.channel.as_str()), Some("terminal"));
    let (always, decline) = (Decision::Always, Decision::Decline);
    assert_eq!(decisions(answer), [(1, always.clone()), (2, decline), (3, always)]);
}

#[test]
fn what_was_typed_before_the_prompt_is_no_answer() {
    let (mut person, prompt) = Person::at_terminal();
    person.types("y\ny\n");
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
    person.sees("> ");
    person.types("\n");
    person.sees("> ");
    person.types("what\n");
    assert!(person.sees("> ").contains("  `what` is none of these"));
    person.types("n\n");
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Decline)]);
}

#[test]
fn help_explains_the_keys_and_shows_arguments_without_secrets() {
    let (mut person, prompt) = Person::at_terminal();
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
    person.sees("> ");
    person.types("?\n");
    let shown = person.sees("> ");
    assert!(shown.contains("q  end the run"), "{shown}");
    // What stands above is not said again.
    assert!(!shown.contains("digest    │") && !shown.contains("why │"), "{shown}");
    let plain = anstream::adapter::strip_str(&shown).to_string();
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.contains("  │   \"token\": \"[hidden: 3 characters]\""), "{shown}");
    assert!(shown.contains("\\u001b[2J") && !shown.contains("t0p"), "{shown}");
    person.types("q\n");
    assert_eq!(decisions(asking.join().unwrap()), [(0, Decision::Abort)]);
}

#[test]
fn what_a_server_is_given_is_hidden_by_its_value_and_r_reveals_it_after_a_warning() {
    let (mut person, prompt) = Person::at_terminal();
    let arguments = json!({ "text": format!("it is {KNOWN}"), "token": "t0p" });
    let asked_about =
        Ask::new(AskKind::ToolPermission, Some(CallId::numbered(1)), "a:b", arguments, "why");
    let digest = asked_about.short_digest();
    let asking = ask_in_thread(&prompt, vec![asked_about]);
    let shown = person.sees("> ");
    assert!(shown.contains("it is [hidden: 1 character]; [hidden: 6"), "{shown}");
    assert!(!shown.contains("n0wn") && !shown.contains("t0p"), "{shown}");
    assert!(shown.contains(&format!("digest    │ {digest}")), "{shown}");
    person.types("r\n");
    let shown = person.sees("> ");
    let (before, after) = shown.split_once("warning").expect("a warning");
    assert!(!before.contains("t0p"), "{shown}");
    assert!(after.contains(": secrets are shown below"), "{shown}");
    assert!(
        after.contains("\"text\": \"it is k; n0wn34\"") && after.contains("\"token\": \"t0p\""),
        "{shown}"
    );
    assert!(after.contains("all arguments, SECRETS INCLUDED:"), "{shown}");
    person.types("y\n");
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Approve)]);
}

#[test]
fn the_arguments_in_full_are_all_of_them_and_the_question_is_asked_again_below() {
    let (mut person, prompt) = Person::at_terminal();
    let command = format!("ls {}; rm -rf ~", "x".repeat(9_000));
    let arguments = json!({ "command": command });
    let long =
        Ask::new(AskKind::ToolPermission, Some(CallId::numbered(1)), "a:b", arguments, "why");
    let asking = ask_in_thread(&prompt, vec![long]);
    let shown = person.sees("> ");
    let joined: String = shown.lines().filter_map(|line| line.split("│ ").nth(1)).collect();
    assert!(joined.contains("x; rm -rf ~\"}"), "{shown}");
    person.types("?\n");
    let shown = person.sees("> ");
    let whole: String = shown.split("│ ").map(|part| part.trim_end()).collect();
    assert_eq!(whole.matches('x').count() / 9_000, 1, "{shown}");
    let (_, again) = shown.split_once("all arguments;").expect("the arguments");
    assert!(again.contains("tool      │ a:b"), "{shown}");
    person.types("n\n");
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Decline)]);
}

#[test]
fn an_uncertain_call_takes_a_result_and_no_always() {
    let (mut person, prompt) = Person::at_terminal();
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::UncertainCall, "a:b")]);
    let shown = person.sees("> ");
    assert!(shown.contains("call AGAIN with │") && shown.contains("outcome unknown │"), "{shown}");
    person.types("a\n");
    person.sees("> ");
    person.types("g\n");
    person.sees("as JSON > ");
    person.types("{oops\n");
    assert!(person.sees("> ").contains("not JSON"));
    person.types("g\n");
    person.sees("as JSON > ");
    person.types("{\"ok\":true}\n");
    let result: Value = json!({ "ok": true });
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Result(result))]);
}

#[test]
fn a_question_answered_elsewhere_leaves_the_terminal_to_the_next() {
    let (mut person, prompt) = Person::at_terminal();
    let first = prompt.ask(question(vec![ask(AskKind::ToolPermission, "a:b")]));
    assert_eq!(futures_util::FutureExt::now_or_never(first), None);
    assert!(person.sees("expired").contains("answered elsewhere"));
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "c:d")]);
    assert!(person.sees("> ").contains("│ c:d"));
    person.types("y\n");
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Approve)]);
}

#[test]
fn nobody_is_asked_once_the_terminal_is_at_its_end() {
    let (mut person, prompt) = Person::at_terminal();
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
    person.sees("> ");
    person.types("\u{4}");
    assert_eq!(asking.join().unwrap(), None);
}

#[test]
fn always_leads_to_a_choice_where_there_is_one() {
    let (mut person, prompt) = Person::with_suggester(always_choices::sample_suggester);
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "a:b")]);
    person.sees("> ");
    person.types("a\n");
    let shown = person.sees("> ");
    assert!(
        shown.contains("  1  any arguments") && shown.contains("2  only with │ `path` under `/x"),
        "{shown}"
    );
    assert!(!shown.contains("t0p") && !shown.contains('\u{202e}'), "{shown}");
    for nothing in ["7\n", "0\n", "x\n"] {
        person.types(nothing);
        person.sees("> ");
    }
    person.types("\n");
    person.sees("> ");
    person.types("a\n");
    person.sees("> ");
    person.types("2\n");
    let within = Decision::AlwaysWithin(always_choices::sample_suggestions().remove(0));
    assert_eq!(decisions(asking.join().unwrap()), [(1, within)]);
}

#[test]
fn any_arguments_is_the_first_choice_and_replan_ends_the_run() {
    let (mut person, prompt) = Person::with_suggester(always_choices::sample_suggester);
    let asking = ask_in_thread(
        &prompt,
        vec![ask(AskKind::Integrity, "a:b"), ask(AskKind::ToolPermission, "c:d")],
    );
    person.sees("> ");
    person.types("A\n");
    person.sees("> ");
    person.types("1\n");
    person.sees("> ");
    person.types("p\n");
    assert_eq!(decisions(asking.join().unwrap()), [(0, Decision::Replan)]);
}

#[test]
fn a_question_of_the_program_itself_is_not_called_a_call() {
    let (mut person, prompt) = Person::at_terminal();
    let asking = ask_in_thread(&prompt, vec![ask(AskKind::ToolPermission, "pml:confirm")]);
    assert!(person.sees("> ").contains(": the program asks you a question"));
    person.types("n\n");
    assert_eq!(decisions(asking.join().unwrap()), [(1, Decision::Decline)]);
    let two = || ask(AskKind::ToolPermission, "pml:confirm");
    let text = super::needed_answer(&question(vec![two(), two()]));
    assert_eq!(text, "the program asks you 2 questions");
}

#[test]
fn every_kind_of_ask_has_its_own_yes() {
    let package = Package::new("s", Ecosystem::Npm, "serena", "0.5.0", "registry.example", "npx");
    let install = Need::Install(package);
    let variables = Need::Variables(MissingVariables::new("s", vec!["KEY".into()], "/p/.env"));
    let trust = Need::Trust(TrustNeed::new("/p", Vec::new(), "new", vec!["start it".into()]));
    for (kind, need, shown, yes, always) in [
        (
            AskKind::Dependency,
            Some(install),
            "install        │ serena@0.5.0",
            "y install and call · a always · n",
            true,
        ),
        (
            AskKind::ApiKeyRequired,
            Some(variables),
            "set first      │ KEY in /p/.env",
            "y it is set, go on · n",
            false,
        ),
        (AskKind::Trust, Some(trust), "its files say │ start it", "y trust and call · n", false),
        (AskKind::ToolPermission, None, "call with │ ", "y approve · a always · n", true),
    ] {
        let (mut person, prompt) = Person::at_terminal();
        let mut ask = ask(kind, "a:b");
        ask.need = need;
        let asking = ask_in_thread(&prompt, vec![ask]);
        let shown_text = person.sees("> ");
        assert!(shown_text.contains(shown) && shown_text.contains(yes), "{kind:?}: {shown_text}");
        assert!(shown_text.contains("p replan: end, for a better program"), "{shown_text}");
        let plain = anstream::adapter::strip_str(&shown_text).to_string();
        assert!(plain.lines().all(|line| line.chars().count() <= 80), "{shown_text}");
        person.types("a\n");
        if !always {
            person.sees("> ");
            person.types("y\n");
        }
        let decision = if always { Decision::Always } else { Decision::Approve };
        assert_eq!(decisions(asking.join().unwrap()), [(1, decision)]);
    }
}
