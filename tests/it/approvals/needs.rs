//! Tools that lack something: a package, a variable, somebody's trust. It is asked about together
//! with the call, brought about once somebody has agreed, and then the call is made.

use pml::json::{Value, json};
use pml::{
    Answer, BoxFuture, Call, CallError, Code, Decision, Ending, Engine, Event, Outcome, Question,
    Reply, Script, ToolName, Tools,
    approval::{AskKind, Difference, Ecosystem, MissingVariables, Need, Package, TrustNeed},
    event::Progress,
    policy::Grant,
    tool::{Effects, ProgressCallback, Resolution, ResolvedTool, ToolOrigin},
};
use pml_kit::sandbox::engine;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Servers that lack what their name says: `pkg…` a package, `key…` a variable, `new…` trust,
/// `both` a package and then a variable. What was met is there from then on.
#[derive(Default)]
struct Lacking {
    met: Mutex<BTreeSet<String>>,
    meetings: AtomicUsize,
    calls: AtomicUsize,
    /// Meeting a need fails.
    fails: AtomicBool,
    /// Meeting a need never ends.
    hangs: AtomicBool,
    /// Nobody sets the variable.
    unset: bool,
    /// How often the tools have changed.
    version: AtomicUsize,
    /// How often a call makes them change.
    changing: bool,
    meeting: Notify,
}

fn package(server: &str) -> Need {
    let install = format!("npx -y @acme/{server}");
    Need::Install(Package::new(
        server,
        Ecosystem::Npm,
        format!("@acme/{server}"),
        "1.2.3",
        "reg",
        install,
    ))
}

fn variable(server: &str) -> Need {
    Need::Variables(MissingVariables::new(server, vec!["ACME_KEY".into()], ".env"))
}

impl Lacking {
    fn need(&self, server: &str) -> Option<Need> {
        let met =
            |what: &str| self.met.lock().expect("no panic").contains(&format!("{server} {what}"));
        let package = || (!met("package")).then(|| package(server));
        let variable = || (!met("variable")).then(|| variable(server));
        match server {
            "both" => package().or_else(variable),
            _ if server.starts_with("pkg") => package(),
            _ if server.starts_with("key") => variable(),
            _ if server.starts_with("new") && !met("trust") => {
                Some(Need::Trust(TrustNeed::new("/p", Vec::new(), "not trusted", Vec::new())))
            }
            _ => None,
        }
    }

    fn found(&self, tool: &ToolName) -> ResolvedTool {
        match self.need(tool.server()) {
            Some(need) => ResolvedTool::with_need(tool.clone(), need),
            None => {
                let mut found = ResolvedTool::new(tool.clone(), Effects::Unknown);
                let definition = format!("v{}", self.version.load(Ordering::SeqCst));
                found.origin = Some(ToolOrigin::new(definition, "server"));
                found
            }
        }
    }
}

impl Tools for Lacking {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if self.changing {
            self.version.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(async move { Ok(json!(call.tool)) })
    }

    fn look_up(&self, _: &ToolName) -> Resolution<ResolvedTool> {
        Resolution::Pending
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let found = self.found(tool);
        Box::pin(async move { Ok(found) })
    }

    fn fulfill_need(
        &self,
        tool: &ToolName,
        need: &Need,
        tell: ProgressCallback,
    ) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let (tool, need) = (tool.clone(), need.clone());
        Box::pin(async move {
            self.meetings.fetch_add(1, Ordering::SeqCst);
            tell(Progress::new("installing", 1, Some(2)));
            self.meeting.notify_one();
            if self.hangs.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            if self.fails.load(Ordering::SeqCst) {
                return Err(CallError::new(Code::ServerFailed, "the registry is not there"));
            }
            let what = match &need {
                Need::Install(_) => "package",
                Need::Trust(_) => "trust",
                _ if self.unset => "nothing",
                _ => "variable",
            };
            self.met.lock().expect("no panic").insert(format!("{} {what}", tool.server()));
            Ok(self.found(&tool))
        })
    }

    fn differences(&self, _: &ToolName, before: &ToolOrigin, now: &ToolOrigin) -> Vec<Difference> {
        let text = |origin: &ToolOrigin| Some(origin.definition.to_string());
        vec![Difference::new("description", text(before), text(now))]
    }
}

/// An engine that asks about everything.
fn asking() -> Engine {
    engine(|config| config.ask_tool("*"))
}

async fn run(engine: &Engine, tools: &Arc<Lacking>, code: &str) -> Outcome {
    engine.run(Script::ts(code)).tools(tools.clone()).await.expect("the sandbox works")
}

fn only(outcome: &Outcome) -> Question {
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    question.clone()
}

async fn answer(engine: &Engine, tools: &Arc<Lacking>, at: &Outcome, said: Decision) -> Outcome {
    let yes = Answer::all(&only(at), said, "tester", "a test");
    engine.answer(only(at).id, yes).await.expect("it records");
    engine.resume(at.run_id).tools(tools.clone()).await.expect("it goes on")
}

fn counts(tools: &Lacking) -> (usize, usize) {
    (tools.meetings.load(Ordering::SeqCst), tools.calls.load(Ordering::SeqCst))
}

#[tokio::test]
async fn one_yes_covers_the_install_and_the_call_that_needs_it() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    let waiting = run(&engine, &tools, "return await mcp.pkg.go({ n: 1 })").await;
    let question = only(&waiting);
    let ask = &question.asks[0];
    assert_eq!((ask.kind, ask.tool.as_str()), (AskKind::Dependency, "pkg:go"));
    assert_eq!((&ask.need, &ask.arguments), (&Some(package("pkg")), &json!({ "n": 1 })));
    assert!(ask.reason.contains("`pkg` is not installed"), "{}", ask.reason);
    assert_eq!(counts(&tools), (0, 0));
    let done = answer(&engine, &tools, &waiting, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("pkg:go")));
    assert_eq!(counts(&tools), (1, 1));
}

#[tokio::test]
async fn a_no_installs_nothing_and_the_program_may_catch_it() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    let code = "try { await mcp.pkg.go({}) } catch (e) { return e.code }";
    let waiting = run(&engine, &tools, code).await;
    let done = answer(&engine, &tools, &waiting, Decision::Decline).await;
    assert_eq!(done.value(), Some(json!("APPROVAL_DECLINED")));
    assert_eq!(counts(&tools), (0, 0));
}

#[tokio::test]
async fn what_is_allowed_installs_without_asking_and_what_is_denied_installs_nothing() {
    let tools = Arc::new(Lacking::default());
    let allowing = engine(|config| config);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let run = allowing.run(Script::ts("return await mcp.pkg.go({})")).tools(tools.clone());
    let run = run.events(move |event: &Event| {
        if let Event::Progress { progress, .. } = event {
            sink.lock().expect("no panic").push(progress.clone());
        }
    });
    assert_eq!(run.await.expect("it works").value(), Some(json!("pkg:go")));
    assert_eq!(*seen.lock().expect("no panic"), [Progress::new("installing", 1, Some(2))]);

    let tools = Arc::new(Lacking::default());
    let denying = engine(|config| config.deny_tool("pkg:*"));
    let code = "try { await mcp.pkg.go({}) } catch (e) { return e.code }";
    let outcome = denying.run(Script::ts(code)).tools(tools.clone()).await.expect("it works");
    assert_eq!(outcome.value(), Some(json!("TOOL_DENIED")));
    assert_eq!(counts(&tools), (0, 0));
}

#[tokio::test]
async fn a_variable_and_trust_are_asked_for_even_where_the_tool_is_allowed() {
    let engine = engine(|config| config);
    for (code, kind) in [
        ("return await mcp.key.go({})", AskKind::ApiKeyRequired),
        ("return await mcp['new'].go({})", AskKind::Trust),
    ] {
        let tools = Arc::new(Lacking::default());
        let waiting = run(&engine, &tools, code).await;
        assert_eq!(only(&waiting).asks[0].kind, kind);
        let done = answer(&engine, &tools, &waiting, Decision::Approve).await;
        assert!(done.value().is_some(), "{:?}", done.ending);
        assert_eq!(counts(&tools), (1, 1));
    }
}

#[tokio::test]
async fn a_variable_that_is_still_missing_after_the_yes_is_an_error_and_no_endless_question() {
    let engine = asking();
    let tools = Arc::new(Lacking { unset: true, ..Lacking::default() });
    let code = "try { await mcp.key.go({}) } catch (e) { return [e.code, e.message] }";
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let seen = reasons.clone();
    // Somebody who always says yes, and never sets it.
    let hasty = pml::approver_from_fn(move |question: Question| {
        seen.lock().expect("no panic").push(question.asks[0].reason.clone());
        let yes = Answer::all(&question, Decision::Approve, "tester", "a test");
        std::future::ready(Some(yes))
    });
    let run = engine.run(Script::ts(code)).tools(tools.clone()).approver(hasty);
    let value = run.await.expect("it runs").value().expect("caught");
    let reasons = reasons.lock().expect("no panic").clone();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert!(!reasons[0].contains("still") && reasons[1].starts_with("still: "));
    assert_eq!(value[0], "API_KEY_REQUIRED");
    assert!(
        value[1].as_str().expect("a text").contains("`ACME_KEY`, which is still not set"),
        "{value}"
    );
}

#[tokio::test]
async fn what_lacks_two_things_asks_twice_and_each_question_has_its_own_id() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    let first = run(&engine, &tools, "return await mcp.both.go({})").await;
    assert_eq!(only(&first).asks[0].kind, AskKind::Dependency);
    let second = answer(&engine, &tools, &first, Decision::Approve).await;
    assert_eq!(only(&second).asks[0].kind, AskKind::ApiKeyRequired);
    assert_ne!(only(&first).id, only(&second).id);
    let done = answer(&engine, &tools, &second, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("both:go")));
    assert_eq!(counts(&tools), (2, 1));
}

#[tokio::test]
async fn several_missing_servers_are_one_question_in_parallel_and_one_each_in_sequence() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    let together = "return await Promise.all([mcp.pkg1.go({}), mcp.pkg2.go({})])";
    let waiting = run(&engine, &tools, together).await;
    assert_eq!(only(&waiting).asks.len(), 2);
    let done = answer(&engine, &tools, &waiting, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!(["pkg1:go", "pkg2:go"])));
    assert_eq!(counts(&tools), (2, 2));

    let tools = Arc::new(Lacking::default());
    let apart = "return [await mcp.pkg1.go({}), await mcp.pkg2.go({})]";
    let first = run(&engine, &tools, apart).await;
    assert_eq!(only(&first).asks[0].tool, "pkg1:go");
    let second = answer(&engine, &tools, &first, Decision::Approve).await;
    assert_eq!(only(&second).asks[0].tool, "pkg2:go");
    let done = answer(&engine, &tools, &second, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!(["pkg1:go", "pkg2:go"])));
}

#[tokio::test]
async fn an_install_that_fails_is_an_error_of_the_call_and_can_be_tried_again() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    tools.fails.store(true, Ordering::SeqCst);
    let code = "try { await mcp.pkg.go({}) } catch (e) { console.log(e.message) }
        return await mcp.pkg.go({})";
    let first = run(&engine, &tools, code).await;
    let second = answer(&engine, &tools, &first, Decision::Approve).await;
    assert_eq!(second.console[0].text, "the registry is not there");
    tools.fails.store(false, Ordering::SeqCst);
    let done = answer(&engine, &tools, &second, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("pkg:go")));
}

#[tokio::test]
async fn a_run_that_is_cut_off_while_it_installs_installs_again_and_has_nothing_uncertain() {
    let (engine, tools) = (asking(), Arc::new(Lacking::default()));
    let waiting = run(&engine, &tools, "return await mcp.pkg.go({})").await;
    let yes = Answer::all(&only(&waiting), Decision::Approve, "tester", "a test");
    engine.answer(only(&waiting).id, yes).await.expect("it records");
    tools.hangs.store(true, Ordering::SeqCst);
    tokio::select! {
        _ = engine.resume(waiting.run_id).tools(tools.clone()).into_future() => panic!("it hangs"),
        () = tools.meeting.notified() => {}
    }
    tools.hangs.store(false, Ordering::SeqCst);
    let done = engine.resume(waiting.run_id).tools(tools.clone()).await.expect("it goes on");
    assert_eq!(done.value(), Some(json!("pkg:go")), "{:?}", done.ending);
    assert_eq!(counts(&tools), (2, 1));
}

#[tokio::test]
async fn a_tool_that_changes_between_two_calls_of_a_run_asks_and_shows_how() {
    let engine = engine(|config| config);
    let tools = Arc::new(Lacking { changing: true, ..Lacking::default() });
    let code = "await mcp.t.go({ n: 1 }); return await mcp.t.go({ n: 2 })";
    let waiting = run(&engine, &tools, code).await;
    let question = only(&waiting);
    let ask = &question.asks[0];
    assert_eq!(ask.kind, AskKind::Integrity);
    let Some(Need::Change(change)) = &ask.need else { panic!("{ask:?}") };
    let expected = Difference::new("description", Some("v0".into()), Some("v1".into()));
    assert_eq!(change.differences, [expected]);
    assert_eq!(counts(&tools), (0, 1));
    let done = answer(&engine, &tools, &waiting, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("t:go")));

    let tools = Arc::new(Lacking { changing: true, ..Lacking::default() });
    let waiting = run(&engine, &tools, code).await;
    let done = answer(&engine, &tools, &waiting, Decision::Abort).await;
    assert!(matches!(done.ending, Ending::Aborted(_)), "{:?}", done.ending);
    assert_eq!(counts(&tools), (0, 1));
}

#[tokio::test]
async fn a_tool_that_stays_the_same_is_not_asked_about_twice() {
    let (engine, tools) = (engine(|config| config), Arc::new(Lacking::default()));
    let code = "await mcp.t.go({}); return await mcp.t.go({})";
    assert_eq!(run(&engine, &tools, code).await.value(), Some(json!("t:go")));
}

#[tokio::test]
async fn always_is_kept_once_with_what_the_tool_was() {
    let kept = Arc::new(Mutex::new(Vec::<Grant>::new()));
    let keeper = kept.clone();
    let engine = engine(|config| {
        config.ask_tool("*").grant_writer(move |grants: &[Grant]| {
            keeper.lock().expect("no panic").extend(grants.iter().cloned());
            Ok("memory".into())
        })
    });
    // A tool that is there, one that has to be installed first, and one that is only approved.
    let code =
        "return [await mcp.t.go({}), await mcp.t.go({}), await mcp.pkg.go({}), await mcp.u.go({})]";
    let tools = Arc::new(Lacking::default());
    let first = run(&engine, &tools, code).await;
    let second = answer(&engine, &tools, &first, Decision::Always).await;
    assert_eq!(only(&second).asks[0].tool, "pkg:go");
    let third = answer(&engine, &tools, &second, Decision::Always).await;
    assert_eq!(only(&third).asks[0].tool, "u:go");
    let done = answer(&engine, &tools, &third, Decision::Approve).await;
    assert_eq!(done.value().and_then(|value| Some(value.as_array()?.len())), Some(4));
    let origin = Some(ToolOrigin::new("v0", "server"));
    let grant = |tool: &str| Grant::new(tool.parse().expect("a tool"), origin.clone(), Vec::new());
    assert_eq!(*kept.lock().expect("no panic"), [grant("t:go"), grant("pkg:go")]);
}

#[tokio::test]
async fn what_cannot_be_kept_holds_for_the_run_and_is_told() {
    let engine = engine(|config| {
        let broken = |_: &[Grant]| Err(pml::Error::new(Code::Config, "the disk is full"));
        config.ask_tool("*").grant_writer(broken)
    });
    let code = "await mcp.t.go({}); return await mcp.t.go({})";
    let tools = Arc::new(Lacking::default());
    let waiting = run(&engine, &tools, code).await;
    let yes = Answer::all(&only(&waiting), Decision::Always, "tester", "a test");
    engine.answer(only(&waiting).id, yes).await.expect("it records");
    let told = Arc::new(Mutex::new(Vec::<Value>::new()));
    let sink = told.clone();
    let run = engine.resume(waiting.run_id).tools(tools).events(move |event: &Event| {
        if let Event::GrantWritten { tool, error, .. } = event {
            sink.lock().expect("no panic").push(json!([tool, error]));
        }
    });
    assert_eq!(run.await.expect("it goes on").value(), Some(json!("t:go")));
    assert_eq!(*told.lock().expect("no panic"), [json!(["t:go", "the disk is full"])]);
}

/// A server that may not run yet: then nothing is known of its tools at once. `t:stuck` never
/// answers.
struct Sleeping {
    up: bool,
    definition: &'static str,
    stuck: Notify,
    calls: AtomicUsize,
}

impl Sleeping {
    fn new(up: bool, definition: &'static str) -> Arc<Sleeping> {
        let (stuck, calls) = (Notify::new(), AtomicUsize::new(0));
        Arc::new(Sleeping { up, definition, stuck, calls })
    }

    fn found(&self, tool: &ToolName) -> ResolvedTool {
        let mut found = ResolvedTool::new(tool.clone(), Effects::Idempotent);
        found.origin = Some(ToolOrigin::new(self.definition, "server"));
        found
    }
}

impl Tools for Sleeping {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        let stuck = call.tool.tool() == "stuck" && self.up;
        Box::pin(async move {
            if stuck {
                self.stuck.notify_one();
                std::future::pending::<()>().await;
            }
            self.calls.fetch_add(1, Ordering::SeqCst);
            Ok(json!(call.tool))
        })
    }

    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        match self.up {
            true => Resolution::Resolved(self.found(tool)),
            false => Resolution::Pending,
        }
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let found = self.found(tool);
        Box::pin(async move { Ok(found) })
    }
}

/// Runs until `t:stuck` is out, and is cut off there.
async fn cut_off(engine: &Engine, code: &str) -> pml::RunId {
    let tools = Sleeping::new(true, "v0");
    let run = engine.run(Script::ts(code)).tools(tools.clone());
    let id = run.id();
    tokio::select! {
        _ = run.into_future() => panic!("a call of it never ends"),
        () = tools.stuck.notified() => {}
    }
    id
}

#[tokio::test]
async fn what_was_about_to_be_asked_is_asked_after_a_cut_with_what_the_tool_is() {
    let engine = engine(|config| config.ask_tool("t:risky"));
    let id = cut_off(&engine, "return await Promise.all([mcp.t.risky({}), mcp.t.stuck({})])").await;
    let resumed = engine.resume(id).tools(Sleeping::new(false, "v0")).await.expect("it goes on");
    let question = only(&resumed);
    let asked: Vec<_> = question.asks.iter().map(|ask| (ask.kind, ask.origin.clone())).collect();
    assert_eq!(asked, [(AskKind::ToolPermission, Some(ToolOrigin::new("v0", "server")))]);
}

#[tokio::test]
async fn what_was_about_to_be_sent_is_looked_at_again_after_a_cut() {
    let origin = Some(ToolOrigin::new("v0", "server"));
    let grant = Grant::new("t:risky".parse().expect("a tool"), origin, Vec::new());
    let engine = engine(|config| config.calls_in_flight(1).grant(grant));
    let id = cut_off(&engine, "return await Promise.all([mcp.t.stuck({}), mcp.t.risky({})])").await;
    let changed = Sleeping::new(false, "v1");
    let resumed = engine.resume(id).tools(changed.clone()).await.expect("it goes on");
    let asks = only(&resumed).asks;
    let asked: Vec<_> = asks.iter().map(|ask| (ask.kind, ask.tool.as_str())).collect();
    // What it says of itself now is no reason to repeat what it was when it went out.
    assert_eq!(asked, [(AskKind::UncertainCall, "t:stuck"), (AskKind::Integrity, "t:risky")]);
    assert_eq!(changed.calls.load(Ordering::SeqCst), 0);
    let yes = Answer::all(&only(&resumed), Decision::Approve, "tester", "a test");
    engine.answer(only(&resumed).id, yes).await.expect("it records");
    let resumed = engine.resume(id).tools(changed.clone()).await.expect("it goes on");
    let asks = only(&resumed).asks;
    let asked: Vec<_> = asks.iter().map(|ask| (ask.kind, ask.tool.as_str())).collect();
    assert_eq!(asked, [(AskKind::Integrity, "t:stuck")], "that it has changed is another question");
    assert_eq!(changed.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_a_call_lacks_never_rides_on_another_question() {
    let engine = engine(|config| config);
    // The earlier run got so far that nobody knows what became of its call.
    struct Stuck(Arc<Notify>);
    impl Tools for Stuck {
        fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
            self.0.notify_one();
            Box::pin(std::future::pending())
        }
    }
    let out = Arc::new(Notify::new());
    let run = engine.run(Script::ts("return await mcp['new'].go({})")).tools(Stuck(out.clone()));
    let earlier = run.id();
    tokio::select! {
        _ = run.into_future() => panic!("its call never ends"),
        () = out.notified() => {}
    }
    // By now nobody trusts what its server comes from.
    let tools = Arc::new(Lacking::default());
    let mended = engine.run(Script::ts("return await mcp['new'].go({})")).resume_from(earlier);
    let waiting = mended.tools(tools.clone()).await.expect("it runs");
    let question = only(&waiting);
    assert_eq!((question.asks[0].kind, &question.asks[0].need), (AskKind::UncertainCall, &None));
    let second = answer(&engine, &tools, &waiting, Decision::Approve).await;
    assert_eq!(only(&second).asks[0].kind, AskKind::Trust);
    assert_eq!(counts(&tools), (0, 0));
    let done = answer(&engine, &tools, &second, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("new:go")), "{:?}", done.ending);
}

#[tokio::test]
async fn always_holds_for_good_also_where_a_key_is_missing_after_the_install() {
    let kept = Arc::new(Mutex::new(Vec::<Grant>::new()));
    let keeper = kept.clone();
    let engine = engine(|config| {
        config.ask_tool("*").grant_writer(move |grants: &[Grant]| {
            keeper.lock().expect("no panic").extend(grants.iter().cloned());
            Ok("memory".into())
        })
    });
    let tools = Arc::new(Lacking::default());
    let first = run(&engine, &tools, "return await mcp.both.go({})").await;
    let second = answer(&engine, &tools, &first, Decision::Always).await;
    assert_eq!(only(&second).asks[0].kind, AskKind::ApiKeyRequired);
    let done = answer(&engine, &tools, &second, Decision::Approve).await;
    assert_eq!(done.value(), Some(json!("both:go")));
    let tools: Vec<_> = kept.lock().expect("no panic").iter().map(|g| g.tool.to_string()).collect();
    assert_eq!(tools, ["both:go"]);
}
