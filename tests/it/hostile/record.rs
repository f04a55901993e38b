//! One object is asked about, approved and executed. An attacker who can write to the journal
//! changes what is asked, what was requested, what went out and what was decided: nothing goes out
//! that a person was not shown, or that the policy of now denies.

use crate::pml;
use pml::json::{self, Value, json};
use pml::{
    Answer, BoxFuture, Call, Config, Decision, Engine, Journal, MemoryJournal, Outcome, Question,
    Reply, RunId, Script, Store, Timestamp, ToolName, Tools,
    approval::AskKind,
    approver_from_fn,
    journal::{AnswerOutcome, Durability, JournalEvent},
    tool::Effects,
};
use pml_kit::scripts::{CONFIRM, COUNT};
use pml_kit::{
    HookedJournal, ModernClient, TestEnv, accepted_form, asking_project, dialog_client, json_of,
    open_question, question_key, structured, toolbox_calls, toolbox_client,
};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Tools that write down what reaches them. What hangs is `t:hang`, while it is told to.
#[derive(Clone, Default)]
struct Seen {
    calls: Arc<Mutex<Vec<String>>>,
    hanging: Arc<Notify>,
    hangs: Arc<AtomicBool>,
    /// Whether all of them say that they only read.
    reads: Arc<AtomicBool>,
}

impl Seen {
    fn calls(&self) -> Vec<String> {
        self.calls.lock().expect("no panic").clone()
    }
}

impl Tools for Seen {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        let said = format!("{} {}", call.tool, call.arguments);
        self.calls.lock().expect("no panic").push(said);
        Box::pin(async move {
            if call.tool.tool() == "hang" && self.hangs.load(Ordering::SeqCst) {
                self.hanging.notify_one();
                return std::future::pending().await;
            }
            Ok(call.arguments)
        })
    }

    fn effects(&self, _: &ToolName) -> Effects {
        match self.reads.load(Ordering::SeqCst) {
            true => Effects::ReadOnly,
            false => Effects::Unknown,
        }
    }
}

fn engine(journal: Arc<dyn Journal>, change: impl FnOnce(&mut Config) -> &mut Config) -> Engine {
    let mut config = Config::new();
    config.runs(4).question_lifetime(None);
    change(&mut config);
    Engine::with_journal(&config, journal).expect("an engine")
}

fn allows(config: &mut Config) -> &mut Config {
    config.allow_tool("*")
}

fn asks(config: &mut Config) -> &mut Config {
    config.allow_tool("*").ask_tool("t:*")
}

fn denies(config: &mut Config) -> &mut Config {
    config.allow_tool("*").deny_tool("t:*")
}

fn store(folder: &Path) -> Arc<Store> {
    Arc::new(Store::open(folder, Durability::Process).expect("it opens"))
}

/// What the attacker does to a journal.
fn tamper(database: &Path, sql: &str) {
    let connection = Connection::open(database).expect("it opens");
    connection.busy_timeout(std::time::Duration::from_secs(10)).expect("it is set");
    let changed = connection.execute(sql, []).expect("the attacker's statement");
    assert!(changed > 0, "nothing was changed: {sql}");
}

fn yes(question: &Question) -> Answer {
    Answer::all(question, Decision::Approve, "tester", "a test")
}

fn only(outcome: &Outcome) -> Question {
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    question.clone()
}

async fn resume(engine: &Engine, run: RunId, tools: &Seen) -> Outcome {
    engine.resume(run).tools(tools.clone()).await.expect("the sandbox works")
}

const PAYS: &str = "return await mcp.t.pay({ to: 'Ann', amount: 5 })";
const PAID: &str = r#"t:pay {"to":"Ann","amount":5}"#;

/// A run that waits for a yes, in a journal that is closed again.
async fn waiting(folder: &Path, tools: &Seen) -> Question {
    let engine = engine(store(folder), asks);
    let outcome = engine.run(Script::ts(PAYS)).tools(tools.clone()).await.expect("it waits");
    assert_eq!(tools.calls(), [""; 0]);
    only(&outcome)
}

/// Runs until the call hangs, and cuts the run off there.
async fn cut_off(engine: &Engine, tools: &Seen, code: &str) -> RunId {
    tools.hangs.store(true, Ordering::SeqCst);
    let run = engine.run(Script::ts(code)).tools(tools.clone());
    let id = run.id();
    tokio::select! {
        () = tools.hanging.notified() => {}
        outcome = run.into_future() => panic!("{:?}", outcome.expect("it runs").ending),
    }
    tools.hangs.store(false, Ordering::SeqCst);
    id
}

const HANGS: &str = "return await mcp.t.hang({ n: 1 }).catch((e) => e.code)";

#[tokio::test]
async fn a_question_that_was_changed_after_it_was_shown_takes_no_answer() {
    for change in [
        "UPDATE questions SET body = replace(body, '\"amount\":5', '\"amount\":5000')",
        "UPDATE questions SET body = replace(body, '\"t:pay\"', '\"t:close\"')",
        "UPDATE questions SET body = replace(body, '\"tool_permission\"', '\"trust\"')",
    ] {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), Seen::default());
        let shown = waiting(folder.path(), &tools).await;
        tamper(&folder.path().join("state.db"), change);
        let engine = engine(store(folder.path()), asks);
        let answered = engine.answer(shown.id, yes(&shown)).await.expect("the journal works");
        assert!(matches!(answered, AnswerOutcome::NotShown { .. }), "{change}: {answered:?}");
        assert_eq!(engine.journal().decisions(shown.run).await.expect("it reads"), []);
        let still = resume(&engine, shown.run, &tools).await;
        assert_eq!(still.questions().len(), 1, "{:?}", still.ending);
        assert_eq!(tools.calls(), [""; 0], "{change}");
    }
}

#[tokio::test]
async fn what_was_approved_and_is_not_what_the_program_asked_for_is_asked_again_and_not_sent() {
    for change in [
        "UPDATE questions SET body = replace(body, '\"amount\":5', '\"amount\":1')",
        "UPDATE questions SET body = replace(body, '\"t:pay\"', '\"t:look\"')",
    ] {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), Seen::default());
        let first = waiting(folder.path(), &tools).await;
        tamper(&folder.path().join("state.db"), change);
        let engine = engine(store(folder.path()), asks);
        // Somebody is shown the harmless text, and says yes to that.
        let asked = engine.journal().question(first.id, Timestamp(0)).await.expect("it reads");
        let harmless = asked.expect("it is there").question;
        assert_ne!(harmless.asks[0].digest(), first.asks[0].digest());
        let answered = engine.answer(first.id, yes(&harmless)).await.expect("the journal works");
        assert!(matches!(answered, AnswerOutcome::Recorded { .. }), "{answered:?}");
        let again = only(&resume(&engine, first.run, &tools).await);
        assert_eq!(tools.calls(), [""; 0], "{change}");
        assert_ne!(again.id, first.id);
        let ask = &again.asks[0];
        assert_eq!(
            (ask.tool.as_str(), &ask.arguments),
            ("t:pay", &json!({ "to": "Ann", "amount": 5 }))
        );
        // What is shown now is what goes out.
        engine.answer(again.id, yes(&again)).await.expect("the journal works");
        let done = resume(&engine, first.run, &tools).await;
        assert_eq!(done.value(), Some(json!({ "to": "Ann", "amount": 5 })), "{change}");
        assert_eq!(tools.calls(), [PAID]);
    }
}

#[tokio::test]
async fn a_request_that_was_changed_after_its_approval_is_not_sent() {
    for change in [
        "UPDATE entries SET text = replace(text, '5', '5000') WHERE kind = 'requested'",
        "UPDATE entries SET meta = replace(meta, 't:pay', 't:close') WHERE kind = 'requested'",
    ] {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), Seen::default());
        let shown = waiting(folder.path(), &tools).await;
        {
            let engine = engine(store(folder.path()), asks);
            engine.answer(shown.id, yes(&shown)).await.expect("the journal works");
        }
        tamper(&folder.path().join("state.db"), change);
        let engine = engine(store(folder.path()), asks);
        let resumed = engine.resume(shown.run).tools(tools.clone()).await;
        let refused = resumed.expect_err("it is not what the program does");
        assert_eq!(refused.kind().as_str(), "REPLAY_DIVERGED");
        assert_eq!(tools.calls(), [""; 0], "{change}");
    }
}

#[tokio::test]
async fn a_decision_without_a_digest_or_with_another_lets_nothing_through() {
    for digest in ["NULL", "''", "'0000000000000000'", "upper(digest)"] {
        let (folder, tools) = (tempfile::tempdir().expect("a folder"), Seen::default());
        let shown = waiting(folder.path(), &tools).await;
        {
            let engine = engine(store(folder.path()), asks);
            engine.answer(shown.id, yes(&shown)).await.expect("the journal works");
        }
        tamper(&folder.path().join("state.db"), &format!("UPDATE decisions SET digest = {digest}"));
        let engine = engine(store(folder.path()), asks);
        let again = only(&resume(&engine, shown.run, &tools).await);
        assert_eq!(tools.calls(), [""; 0], "{digest}");
        assert_ne!(again.id, shown.id);
        assert_eq!(again.asks[0].digest(), shown.asks[0].digest(), "the same is asked again");
        engine.answer(again.id, yes(&again)).await.expect("the journal works");
        assert!(resume(&engine, shown.run, &tools).await.value().is_some());
        assert_eq!(tools.calls(), [PAID]);
    }
}

#[tokio::test]
async fn a_planted_decision_about_every_question_ends_in_a_refusal_and_not_in_a_call() {
    let (inner, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let asked = Arc::new(Mutex::new(Vec::<Question>::new()));
    let (seen, questions) = (asked.clone(), asked.clone());
    // Whatever is asked, a yes stands in the journal at once, as a trigger would write it.
    let journal = HookedJournal::new(inner).on_decided(move |decided| {
        for question in questions.lock().expect("no panic").iter() {
            let (who, now) = ("eve", Timestamp(0));
            let ask = question.asks[0].id;
            let yes = pml::approval::RecordedDecision::new(
                question.id,
                ask,
                Decision::Approve,
                who,
                "x",
                now,
            );
            decided.push(yes.with_digest(Some("ab".repeat(32))));
        }
    });
    let engine = engine(Arc::new(journal), asks);
    let approver = approver_from_fn(|_| std::future::pending());
    let code = "try { await mcp.t.pay({ amount: 5 }) } catch (e) { return e.code }";
    let run = engine.run(Script::ts(code)).tools(tools.clone()).approver(approver);
    let run = run.events(move |event: &pml::Event| {
        if let pml::Event::Asked { question, .. } = event {
            seen.lock().expect("no panic").push(question.clone());
        }
    });
    let outcome = run.await.expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!("INTEGRITY")));
    assert_eq!(tools.calls(), [""; 0]);
    assert!(asked.lock().expect("no panic").len() <= 4, "it is not asked for ever");
}

#[tokio::test]
async fn a_policy_that_denies_by_now_wins_over_an_approval_of_before() {
    let (journal, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let asking = engine(journal.clone(), asks);
    let code = "try { return await mcp.t.pay({ n: 1 }) } catch (e) { return e.code }";
    for answered in [false, true] {
        let outcome = asking.run(Script::ts(code)).tools(tools.clone()).await.expect("it waits");
        let question = only(&outcome);
        if answered {
            asking.answer(question.id, yes(&question)).await.expect("the journal works");
        }
        let outcome = resume(&engine(journal.clone(), denies), question.run, &tools).await;
        assert_eq!(outcome.value(), Some(json!("TOOL_DENIED")), "{:?}", outcome.ending);
        assert_eq!(tools.calls(), [""; 0]);
        let open = journal.questions(None, Timestamp(0)).await.expect("a list");
        assert_eq!(open, [], "nothing waits for it any more");
    }
}

#[tokio::test]
async fn a_no_counts_also_where_nobody_would_have_to_be_asked_by_now() {
    let (journal, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let asking = engine(journal.clone(), asks);
    let code = "try { return await mcp.t.pay({ n: 1 }) } catch (e) { return e.code }";
    let waiting = asking.run(Script::ts(code)).tools(tools.clone()).await.expect("it waits");
    let no = Answer::all(&only(&waiting), Decision::Decline, "tester", "a test");
    asking.answer(only(&waiting).id, no).await.expect("the journal works");
    let outcome = resume(&engine(journal.clone(), allows), waiting.run_id, &tools).await;
    assert_eq!(outcome.value(), Some(json!("APPROVAL_DECLINED")));
    assert_eq!(tools.calls(), [""; 0]);
    // What nobody has said anything to goes by the policy of now.
    let waiting = asking.run(Script::ts(code)).tools(tools.clone()).await.expect("it waits");
    let outcome = resume(&engine(journal, allows), waiting.run_id, &tools).await;
    assert_eq!(outcome.value(), Some(json!({ "n": 1 })));
}

#[tokio::test]
async fn a_call_that_was_out_is_not_repeated_on_the_journals_word() {
    let (inner, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let id = cut_off(&engine(inner.clone(), allows), &tools, HANGS).await;
    // The attacker's row: it only read, so it may go out again.
    let journal = HookedJournal::new(inner).on_load(|stored| {
        for entry in &mut stored.entries {
            if let JournalEvent::Executing { effects, .. } = &mut entry.event {
                *effects = Effects::ReadOnly;
            }
        }
    });
    let outcome = resume(&engine(Arc::new(journal), allows), id, &tools).await;
    assert_eq!(only(&outcome).asks[0].kind, AskKind::UncertainCall);
    assert_eq!(tools.calls().len(), 1, "it was made once, and not again");
}

#[tokio::test]
async fn a_call_that_was_out_is_repeated_only_if_its_tool_says_so_now_and_the_policy_lets_it_go() {
    type Policy = fn(&mut Config) -> &mut Config;
    let cases: [(Policy, bool, usize); 4] =
        [(allows, true, 2), (allows, false, 1), (asks, true, 1), (denies, true, 1)];
    for (policy, reads, calls) in cases {
        let (journal, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
        let id = cut_off(&engine(journal.clone(), allows), &tools, HANGS).await;
        tools.reads.store(reads, Ordering::SeqCst);
        let outcome = resume(&engine(journal, policy), id, &tools).await;
        assert_eq!(tools.calls().len(), calls, "{:?}", outcome.ending);
        match (calls, outcome.questions()) {
            (2, []) => assert_eq!(outcome.value(), Some(json!({ "n": 1 }))),
            // Nobody knows what became of it: that it is denied now does not say that it was not
            // made.
            (_, []) => assert_eq!(outcome.value(), Some(json!("OUTCOME_UNKNOWN"))),
            (_, asked) => assert_eq!(asked[0].asks[0].kind, AskKind::UncertainCall),
        }
    }
}

#[tokio::test]
async fn a_reading_call_that_a_person_approved_is_made_again_without_a_second_question() {
    let (journal, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    tools.reads.store(true, Ordering::SeqCst);
    let asking = engine(journal.clone(), asks);
    let waiting = asking.run(Script::ts(HANGS)).tools(tools.clone()).await.expect("it waits");
    asking.answer(only(&waiting).id, yes(&only(&waiting))).await.expect("the journal works");
    tools.hangs.store(true, Ordering::SeqCst);
    tokio::select! {
        () = tools.hanging.notified() => {}
        _ = asking.resume(waiting.run_id).tools(tools.clone()).into_future() => panic!("it hangs"),
    }
    tools.hangs.store(false, Ordering::SeqCst);
    let outcome = resume(&asking, waiting.run_id, &tools).await;
    assert_eq!(outcome.value(), Some(json!({ "n": 1 })), "{:?}", outcome.ending);
    assert_eq!(tools.calls().len(), 2);
}

#[tokio::test]
async fn what_an_earlier_run_did_is_not_harmless_on_the_journals_word() {
    let (inner, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let first = engine(inner.clone(), allows);
    let code = "await mcp.t.pay({ n: 1 }); throw new Error('no')";
    let failed = first.run(Script::ts(code)).tools(tools.clone()).await.expect("it runs");
    let journal = HookedJournal::new(inner).on_load(|stored| {
        for entry in &mut stored.entries {
            if let JournalEvent::Executing { effects, .. } = &mut entry.event {
                *effects = Effects::ReadOnly;
            }
        }
    });
    let engine = engine(Arc::new(journal), allows);
    let mended = "await mcp.t.other({ n: 2 }); return 'done'";
    let run = engine.run(Script::ts(mended)).resume_from(failed.run_id);
    let asked = only(&run.tools(tools.clone()).await.expect("it waits"));
    let ask = &asked.asks[0];
    assert_eq!((ask.kind, ask.tool.as_str()), (AskKind::UncertainCall, "t:pay"));
    assert_eq!(tools.calls().len(), 1, "nothing new went out");
    // Twin: a tool that says now that it only reads bothers nobody.
    tools.reads.store(true, Ordering::SeqCst);
    let outcome = resume(&engine, asked.run, &tools).await;
    assert_eq!(outcome.value(), Some(json!("done")), "{:?}", outcome.ending);
}

#[tokio::test]
async fn what_is_left_of_an_earlier_run_is_let_go_of_only_as_it_was_shown() {
    let (inner, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let first = engine(inner.clone(), allows);
    let code = "await mcp.t.pay({ n: 1 }); throw new Error('no')";
    let failed = first.run(Script::ts(code)).tools(tools.clone()).await.expect("it runs");
    let mended = "await mcp.t.other({ n: 2 }); return 'done'";
    let run = first.run(Script::ts(mended)).resume_from(failed.run_id).tools(tools.clone());
    let asked = only(&run.await.expect("it waits"));
    first.answer(asked.id, yes(&asked)).await.expect("the journal works");
    let forgotten = HookedJournal::new(inner).on_decided(|decided| {
        for one in decided {
            one.digest = None;
        }
    });
    let again = only(&resume(&engine(Arc::new(forgotten), allows), asked.run, &tools).await);
    assert_ne!(again.id, asked.id);
    assert_eq!(tools.calls().len(), 1, "nothing new went out");
    let outcome = resume(&first, asked.run, &tools).await;
    assert_eq!(outcome.value(), Some(json!("done")), "{:?}", outcome.ending);
}

#[tokio::test]
async fn an_approver_that_answers_another_question_decides_nothing() {
    let (journal, tools) = (Arc::new(MemoryJournal::new()), Seen::default());
    let engine = engine(journal.clone(), asks);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let approver = approver_from_fn(move |mut question: Question| {
        count.fetch_add(1, Ordering::SeqCst);
        question.asks[0].arguments = json!({ "harmless": true });
        std::future::ready(Some(yes(&question)))
    });
    let run = engine.run(Script::ts(PAYS)).tools(tools.clone()).approver(approver);
    let outcome = run.await.expect("it waits");
    assert_eq!(outcome.questions().len(), 1, "{:?}", outcome.ending);
    assert_eq!((tools.calls().len(), asked.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn what_goes_out_names_the_digest_that_was_approved() {
    let (folder, tools) = (tempfile::tempdir().expect("a folder"), Seen::default());
    let shown = waiting(folder.path(), &tools).await;
    let engine = engine(store(folder.path()), asks);
    engine.answer(shown.id, yes(&shown)).await.expect("the journal works");
    resume(&engine, shown.run, &tools).await;
    let stored = engine.journal().load(shown.run).await.expect("it reads");
    let sent = stored.entries.iter().find_map(|entry| match &entry.event {
        JournalEvent::Executing { approved, .. } => approved.clone(),
        _ => None,
    });
    assert_eq!(sent, Some(shown.asks[0].digest()));
    let asked = stored.entries.iter().find_map(|entry| match &entry.event {
        JournalEvent::Asked { question } => Some(question.clone()),
        _ => None,
    });
    assert_eq!(asked, Some(shown), "it is kept once, and read back whole");
}

/// The journal of a project: the one place where these tests know where it lies.
fn journal_of(env: &TestEnv) -> PathBuf {
    env.journal().join("state.db")
}

/// A project whose program waits for a yes.
fn confirming() -> (TestEnv, String) {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    (env, id)
}

fn digest(env: &TestEnv) -> String {
    let open = json_of(env, &["approvals", "--json"]);
    open[0]["asks"][0]["digest"].as_str().expect("a digest").into()
}

#[test]
fn a_yes_to_a_text_that_was_put_in_its_place_is_asked_again() {
    let (env, id) = confirming();
    let sql = "UPDATE questions SET body = replace(body, 'go on?', 'is the sky blue?')";
    tamper(&journal_of(&env), sql);
    let approved = env.run(&["approve", &id, "--yes", "--json"]);
    // The run went on as far as it could: it asks again, for what it is about.
    assert_eq!(approved.code, 4, "{}", approved.stderr);
    assert_ne!(open_question(&env), id);
    let open = json_of(&env, &["approvals", "--json"]);
    assert_eq!(open[0]["asks"][0]["arguments"]["message"], "go on?");
    let done = env.run(&["approve", &open_question(&env), "--yes", "--json"]);
    let done: Value = json::from_str(&done.stdout).expect("JSON");
    assert!(done.to_string().contains("\"approved\":true"), "{done}");
}

#[test]
fn a_planted_decision_is_not_taken_up_by_resume() {
    let (env, id) = confirming();
    let sql = "INSERT INTO decisions (question, ask, decision, who, channel, at) \
               SELECT number, 1, '\"approve\"', 'you', 'terminal', asked_at FROM questions";
    tamper(&journal_of(&env), sql);
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (4, ""), "{}", resumed.stderr);
    assert_ne!(open_question(&env), id, "it is asked again");
}

#[test]
fn a_script_can_pin_what_it_saw() {
    let (env, id) = confirming();
    let digest = digest(&env);
    let sql = "UPDATE questions SET body = replace(body, 'go on?', 'delete all?')";
    tamper(&journal_of(&env), sql);
    let refused = env.run(&["approve", &id, "--yes", "--digest", &digest[..12]]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("not the one in `--digest`"), "{}", refused.stderr);
    assert_eq!(open_question(&env), id, "nothing was decided");
}

#[test]
fn the_audit_trail_names_what_was_decided_about() {
    let (env, id) = confirming();
    let digest = digest(&env);
    assert_eq!(env.run(&["approve", &id, "--yes", "--digest", &digest]).code, 0);
    let trail = env.run(&["audit", "--json"]).stdout;
    assert_eq!(trail.matches(&digest).count(), 2, "asked and decided: {trail}");
    let text = env.run(&["audit"]).stdout;
    assert!(text.contains(&format!(", digest {}", &digest[..12])), "{text}");
    let run = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(run["calls"][0]["approved"], digest, "{run}");
}

/// Has every question ask about a harmless tool.
const HARMLESS: &str = "UPDATE questions SET body = replace(body, '\"box:count\"', '\"box:echo\"')";

const NOT_SHOWN: &str = "the question is not the one that was shown";

#[test]
fn what_a_dialog_showed_is_what_is_answered() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let arguments = json!({ "code": COUNT });
    let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    let dialog = client.asked("elicitation/create");
    tamper(&journal_of(&env), HARMLESS);
    client.reply(&dialog, accepted_form());
    let open = structured(&client.answer(id)).clone();
    assert_eq!(open["status"], "approval_required", "{open}");
    assert!(open["notes"].to_string().contains(NOT_SHOWN), "{open}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_state_is_of_the_question_as_it_was_shown() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let arguments = json!({ "code": COUNT });
    let asked = client.call("execute", arguments.clone());
    tamper(&journal_of(&env), HARMLESS);
    let refused = client.again("execute", arguments, &asked, accepted_form());
    assert_eq!(structured(&refused)["error"]["code"], "INTEGRITY", "{refused}");
    assert!(refused.to_string().contains(NOT_SHOWN), "{refused}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn the_answer_to_a_task_is_to_the_question_as_it_was_shown() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let begun = client.call("execute", json!({ "code": COUNT }));
    let task = begun["result"]["taskId"].clone();
    let asked = client.request("tasks/get", json!({ "taskId": task }))["result"].clone();
    tamper(&journal_of(&env), HARMLESS);
    let said =
        json!({ "taskId": task, "inputResponses": { question_key(&asked): accepted_form() } });
    let refused = client.request("tasks/update", said);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(refused.to_string().contains(NOT_SHOWN), "{refused}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn continue_workflow_answers_what_this_door_showed() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked = client.execute(COUNT);
    let (id, digest) = (asked["workflow_id"].clone(), asked["asks"][0]["digest"].clone());
    let digest = digest.as_str().expect("a digest");
    tamper(&journal_of(&env), HARMLESS);
    let mut go_on = |answer: Value| {
        structured(&client.call("execute", json!({ "continue_workflow": answer }))).clone()
    };
    let refused = go_on(json!({ "workflow_id": id, "approved": true }));
    assert_eq!(refused["error"]["code"], "INTEGRITY", "{refused}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
    tamper(&journal_of(&env), "UPDATE questions SET body = replace(body, 'box:echo', 'box:count')");
    // A digest that is given is held against what is asked.
    let other = "0123456789ab";
    for answer in [
        json!({ "workflow_id": id, "approved": true, "digest": other }),
        json!({ "workflow_id": id, "answers": { "1": { "answer": "approve", "digest": other } } }),
    ] {
        let refused = go_on(answer);
        assert_eq!(refused["error"]["code"], "INTEGRITY", "{refused}");
    }
    assert_eq!(toolbox_calls(&env), [""; 0]);
    let said = json!({ "1": { "answer": "approve", "digest": digest } });
    let done = go_on(json!({ "workflow_id": id, "answers": said }));
    assert_eq!(done["result"], 1, "{done}");
}

#[test]
fn a_policy_that_was_changed_after_the_approval_counts() {
    let env = asking_project(pml());
    env.write("main.ts", COUNT);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    assert_eq!(env.run(&["approve", &id, "--yes", "--no-run"]).code, 0);
    let file = env.path().join(".pml.json");
    let mut settings: Value =
        json::from_str(&std::fs::read_to_string(&file).expect("settings")).expect("JSON");
    settings["permissions"] = json!({ "ask": ["*"], "deny": ["box:count"] });
    env.write(".pml.json", settings.to_string());
    assert_eq!(env.run(&["trust", "--yes"]).code, 0);
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!(resumed.code, 1, "{}", resumed.stderr);
    assert!(resumed.stderr.contains("TOOL_DENIED"), "{}", resumed.stderr);
    assert_eq!(toolbox_calls(&env), [""; 0]);
}
