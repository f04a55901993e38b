//! Tools whose server has to be started before anybody knows what a name means.

use pml::json::{Value, json};
use pml::{
    Answer, BoxFuture, Call, CallError, Code, Decision, Ending, Engine, Outcome, Reply, Script,
    ToolName, Tools,
    approval::AskKind,
    journal::JournalEvent,
    tool::{Effects, Resolution, ResolvedTool, ToolOrigin},
};
use pml_kit::sandbox::engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Knows `files:write_file` and nothing else, and that only once its server is there.
#[derive(Default)]
struct Slow {
    searches: AtomicUsize,
    calls: AtomicUsize,
    /// Whether the server never comes up.
    hangs: bool,
    /// The digest of what it says of its tool.
    definition: Option<&'static str>,
    searching: Notify,
}

impl Tools for Slow {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { Ok(json!({ "tool": call.tool, "arguments": call.arguments })) })
    }

    fn look_up(&self, _: &ToolName) -> Resolution<ResolvedTool> {
        Resolution::Pending
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        self.searches.fetch_add(1, Ordering::SeqCst);
        self.searching.notify_one();
        let found = match tool.as_str() {
            "files:writeFile" | "files:write_file" => {
                let name = "files:write_file".parse().expect("a tool");
                let mut found = ResolvedTool::new(name, Effects::Unknown);
                found.origin = Some(ToolOrigin::new(self.definition.unwrap_or("d1"), "s1"));
                Ok(found)
            }
            other => Err(CallError::unknown(other)),
        };
        let hangs = self.hangs;
        Box::pin(async move {
            tokio::task::yield_now().await;
            if hangs {
                std::future::pending::<()>().await;
            }
            found
        })
    }

    fn check(&self, _: &ToolName, arguments: &Value) -> Result<(), CallError> {
        match arguments["path"].is_string() {
            true => Ok(()),
            false => Err(CallError::new(Code::Arguments, "`path` must be a string")),
        }
    }
}

async fn run(engine: &Engine, tools: &Arc<Slow>, code: &str) -> Outcome {
    let run = engine.run(Script::ts(code)).tools(tools.clone());
    run.await.expect("the sandbox works")
}

const WRITE: &str = "return (await mcp.files.writeFile({ path: 'a' })).tool";
const REFUSED: &str =
    "try { await mcp.files.writeFile({ path: 'a' }) } catch (e) { return [e.code, e.message] }";

#[tokio::test]
async fn a_call_goes_to_the_tool_that_its_name_means() {
    let (engine, tools) = (engine(|config| config), Arc::new(Slow::default()));
    let outcome = run(&engine, &tools, WRITE).await;
    assert_eq!(outcome.value(), Some(json!("files:write_file")));
    let stored = engine.journal().load(outcome.run_id).await.expect("it is kept");
    let sent = stored.entries.iter().find_map(|entry| match &entry.event {
        JournalEvent::Executing { tool, origin, .. } => Some((tool.to_string(), origin.clone())),
        _ => None,
    });
    assert_eq!(sent, Some(("files:write_file".into(), Some(ToolOrigin::new("d1", "s1")))));
}

#[tokio::test]
async fn the_policy_decides_on_the_tool_and_not_on_its_spelling() {
    let tools = Arc::new(Slow::default());
    let denying = engine(|config| config.deny_tool("files:write_file"));
    let outcome = run(&denying, &tools, REFUSED).await;
    // A restriction holds in every spelling: nothing has to be started to say so.
    let message = "Tool files:writeFile is denied by user config";
    assert_eq!(outcome.value(), Some(json!(["TOOL_DENIED", message])));
    assert_eq!(tools.searches.load(Ordering::SeqCst), 0);

    let asking = engine(|config| config.ask_tool("files:write_file"));
    let outcome = run(&asking, &tools, WRITE).await;
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    assert_eq!(question.asks[0].tool, "files:write_file");
    assert_eq!(question.asks[0].origin, Some(ToolOrigin::new("d1", "s1")));
    assert_eq!(tools.calls.load(Ordering::SeqCst), 0);

    let yes = Answer::all(question, Decision::Approve, "tester", "a test");
    asking.answer(question.id, yes).await.expect("it records");
    let resumed = asking.resume(outcome.run_id).tools(tools.clone()).await.expect("it goes on");
    assert_eq!(resumed.value(), Some(json!("files:write_file")));
}

#[tokio::test]
async fn a_server_whose_tools_are_all_denied_is_not_started() {
    let (engine, tools) = (engine(|config| config.deny_tool("files:*")), Arc::new(Slow::default()));
    let outcome = run(&engine, &tools, REFUSED).await;
    assert_eq!(outcome.value().expect("caught")[0], "TOOL_DENIED");
    assert_eq!(tools.searches.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_is_not_there_is_an_error_that_the_program_can_catch() {
    let (engine, tools) = (engine(|config| config), Arc::new(Slow::default()));
    let code = "try { await mcp.files.erase({}) } catch (e) { return [e.name, e.code, e.tool] }";
    let outcome = run(&engine, &tools, code).await;
    assert_eq!(outcome.value(), Some(json!(["ToolError", "TOOL_UNKNOWN", "files:erase"])));
}

#[tokio::test]
async fn nobody_is_asked_about_arguments_that_the_tool_would_not_take() {
    let engine = engine(|config| config.ask_tool("files:*"));
    let tools = Arc::new(Slow::default());
    let code = "try { await mcp.files.write_file({ path: 1 }) } catch (e) { return e.message }";
    assert_eq!(run(&engine, &tools, code).await.value(), Some(json!("`path` must be a string")));
}

#[tokio::test]
async fn a_run_that_is_cut_off_while_a_server_starts_has_nothing_uncertain() {
    let engine = engine(|config| config);
    let hanging = Arc::new(Slow { hangs: true, ..Slow::default() });
    let run = engine.run(Script::ts(WRITE)).tools(hanging.clone());
    let id = run.id();
    tokio::select! {
        _ = run.into_future() => panic!("its server never comes up"),
        () = hanging.searching.notified() => {}
    }
    let tools = Arc::new(Slow::default());
    let resumed = engine.resume(id).tools(tools.clone()).await.expect("it goes on");
    assert_eq!(resumed.value(), Some(json!("files:write_file")), "{:?}", resumed.ending);
    assert_eq!(tools.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_call_that_is_given_up_while_its_server_starts_was_never_sent() {
    let (engine, tools) = (engine(|config| config), Slow { hangs: true, ..Slow::default() });
    let tools = Arc::new(tools);
    let code = "const c = new AbortController(); setTimeout(() => c.abort(), 1);
        try { await mcp.files.writeFile({ path: 'a' }, { signal: c.signal }) } catch (e) { return e.name }";
    let outcome = run(&engine, &tools, code).await;
    assert!(matches!(outcome.ending, Ending::Finished(_)), "{:?}", outcome.ending);
    assert_eq!(outcome.value(), Some(json!("AbortError")));
    let stored = engine.journal().load(outcome.run_id).await.expect("it is kept");
    let given_up = stored
        .entries
        .iter()
        .any(|entry| matches!(entry.event, JournalEvent::Cancelled { sent: false, .. }));
    assert!(given_up);
}

#[tokio::test]
async fn a_call_that_nobody_knows_the_outcome_of_is_known_under_every_spelling() {
    let engine = engine(|config| config);
    let tools = Arc::new(Slow::default());
    // The earlier run is cut off while the call is out.
    let stuck = Arc::new(Stuck(Notify::new()));
    let run =
        engine.run(Script::ts("await mcp.files.write_file({ path: 'a' })")).tools(stuck.clone());
    let id = run.id();
    tokio::select! {
        _ = run.into_future() => panic!("the call never ends"),
        () = stuck.0.notified() => {}
    }
    let mended = engine.run(Script::ts(WRITE)).resume_from(id).tools(tools.clone());
    let outcome = mended.await.expect("it runs");
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    assert_eq!(question.asks[0].kind, AskKind::UncertainCall);
    assert_eq!(tools.calls.load(Ordering::SeqCst), 0);
}

/// Takes calls and never answers.
struct Stuck(Notify);

impl Tools for Stuck {
    fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn an_approval_is_of_the_definition_that_was_shown() {
    let engine = engine(|config| config.ask_tool("files:*"));
    let outcome = run(&engine, &Arc::new(Slow::default()), REFUSED).await;
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    let yes = Answer::all(question, Decision::Approve, "tester", "a test");
    engine.answer(question.id, yes).await.expect("it records");
    let changed = Arc::new(Slow { definition: Some("d2"), ..Slow::default() });
    let resumed = engine.resume(outcome.run_id).tools(changed.clone()).await.expect("it goes on");
    // It is another tool now: what was said of the old one is no answer.
    let [again] = resumed.questions() else { panic!("{:?}", resumed.ending) };
    assert_eq!(
        (again.asks[0].kind, &again.asks[0].tool),
        (AskKind::Integrity, &question.asks[0].tool)
    );
    assert_ne!(again.id, question.id);
    assert_eq!(changed.calls.load(Ordering::SeqCst), 0);
    let yes = Answer::all(again, Decision::Approve, "tester", "a test");
    engine.answer(again.id, yes).await.expect("it records");
    let done = engine.resume(outcome.run_id).tools(changed.clone()).await.expect("it goes on");
    assert!(matches!(done.ending, Ending::Finished(_)), "{:?}", done.ending);
    assert_eq!(changed.calls.load(Ordering::SeqCst), 1);
}

/// Knows `quick:*` at once, and never finds anything else.
struct Half;

impl Tools for Half {
    fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
        Box::pin(std::future::ready(Ok(json!("here"))))
    }

    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        match tool.server() {
            "quick" => Resolution::Resolved(ResolvedTool::new(tool.clone(), Effects::Unknown)),
            _ => Resolution::Pending,
        }
    }

    fn find(&self, _: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_server_that_hangs_in_its_start_holds_up_no_other() {
    let engine = engine(|config| config.calls_in_flight(2));
    let code = "for (let n = 0; n < 5; n++) mcp.hangs.x({ n }).catch(() => {}); return await mcp.quick.y()";
    let run = engine.run(Script::ts(code)).tools(Half);
    assert_eq!(run.await.expect("it runs").value(), Some(json!("here")));
}

#[tokio::test]
async fn a_mended_program_is_not_asked_about_calls_that_only_read() {
    let engine = engine(|config| config);
    struct Reading;
    impl Tools for Reading {
        fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
            Box::pin(std::future::ready(Ok(json!(1))))
        }

        fn effects(&self, _: &ToolName) -> Effects {
            Effects::ReadOnly
        }
    }
    let failed =
        engine.run(Script::ts("await mcp.a.read({}); throw new Error('x')")).tools(Reading);
    let failed = failed.await.expect("it runs").run_id;
    // Nobody here knows what `a:read` is.
    let mended =
        engine.run(Script::ts("return 2")).resume_from(failed).tools(Arc::new(Slow::default()));
    let outcome = mended.await.expect("it runs");
    assert_eq!(outcome.value(), Some(json!(2)), "{:?}", outcome.ending);
}
