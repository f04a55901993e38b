//! The console lines that clients read, and the other events in a report.

use super::super::{CancelRequest, HostedRun, PriorDecision, RunConclusion, RunWatcher};
use super::{approve, asking_run, engine, host_of_two, tools, wait_asked, wait_ended};
use crate::Script;
use crate::event::{Event, EventSink};
use crate::hosting::{Client, ConsoleExcerpt};
use crate::model::{CallId, CallProgress, RunId};

fn texts(excerpt: ConsoleExcerpt) -> Vec<String> {
    excerpt.lines.into_iter().map(|line| line.text).collect()
}

fn unread(hosted: &HostedRun, client: &Client) -> Vec<String> {
    texts(hosted.watcher().unread_lines(client))
}

#[tokio::test]
async fn lines_that_a_client_was_shown_with_a_question_do_not_come_with_the_result() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    let question = wait_asked(&hosted, &first).await;
    assert_eq!(texts(hosted.watcher().read_lines(&first)), ["before"]);
    approve(&engine, &question).await;
    wait_ended(&hosted, &first, PriorDecision::Settled(question.id)).await;
    assert_eq!(unread(&hosted, &first), ["after"]);
    assert_eq!(unread(&hosted, &second), ["before", "after"]);
    // Reading again returns the same lines.
    assert_eq!(unread(&hosted, &first), ["after"]);
}

#[tokio::test]
async fn failures_that_the_program_caught_are_in_the_report() {
    let (engine, (host, first, _)) = (engine(), host_of_two());
    let program = "try { await mcp.go.on({}) } catch {} throw new Error('on purpose')";
    let tools = crate::router::tools_from_fn(|call| async move {
        Err(crate::model::CallError::unknown(call.tool.as_str()))
    });
    let hosted = host.start(&engine, &first, engine.run(Script::ts(program)).tools(tools));
    let ended = wait_ended(&hosted, &first, PriorDecision::Nothing).await;
    let RunConclusion::Outcome(report) = &ended.conclusion else { panic!("{ended:?}") };
    assert_eq!(report.outcome.tool_failures.len(), 1);
    assert_eq!(report.outcome.tool_failures[0].tool, "go:on");
    let calls = report.calls.as_ref().expect("it did not finish");
    assert_eq!((calls.completed.len(), calls.failed.as_deref()), (0, Some("go:on")));
    assert_eq!(hosted.watcher().progress().calls_done, 1);
}

#[test]
fn what_a_tool_reports_is_progress_until_something_else_happens() {
    let (watcher, run) = (RunWatcher::default(), RunId::new());
    let (first, second) = (CallId::numbered(1), CallId::numbered(2));
    let starts = |call, tool: &str| {
        watcher.event(&Event::CallStarted { run, call, tool: tool.parse().expect("a tool") });
    };
    let reports = |call, done| {
        let progress = CallProgress::new(done, Some(10.0), Some("half"));
        watcher.event(&Event::CallProgress { run, call, progress });
    };
    let reported = || watcher.progress().reported.map(|it| (it.tool.to_string(), it.progress.done));
    starts(first, "go:slow");
    reports(first, 2.0);
    reports(first, 3.0);
    // One that was overtaken by the next.
    reports(first, 1.0);
    assert_eq!(reported(), Some(("go:slow".into(), 3.0)));
    starts(second, "go:on");
    assert_eq!(reported(), None);
    reports(first, 4.0);
    assert_eq!(reported(), Some(("go:slow".into(), 4.0)));
    watcher.event(&Event::CallSettled { run, call: first, error: None });
    reports(first, 5.0);
    assert_eq!(reported(), None);
}

#[tokio::test]
async fn a_tool_reports_how_far_its_call_is() {
    let (engine, (host, first, _)) = (engine(), host_of_two());
    let tools = crate::router::tools_from_fn(|call| async move {
        call.report_progress(CallProgress::new(3.0, None, Some(&"long ".repeat(1_000))));
        std::future::pending().await
    });
    let run = engine.run(Script::ts("await mcp.go.slow({})")).tools(tools);
    let hosted = host.start(&engine, &first, run);
    let mut count = hosted.watcher().count();
    let reported = loop {
        match hosted.watcher().progress().reported {
            Some(reported) => break reported,
            None => count.changed().await.expect("it runs"),
        }
    };
    assert_eq!((reported.tool.as_str(), reported.progress.done), ("go:slow", 3.0));
    let message = reported.progress.message.expect("a message");
    assert!(message.starts_with("long ") && message.len() < 400, "{}", message.len());
    hosted.cancel(CancelRequest::new("first", "test"));
    wait_ended(&hosted, &first, PriorDecision::Nothing).await;
}

#[tokio::test]
async fn progress_counts_calls() {
    let (engine, (host, first, _)) = (engine(), host_of_two());
    let program = "await mcp.go.on({}); await mcp.go.on({})";
    let hosted = host.start(&engine, &first, engine.run(Script::ts(program)).tools(tools()));
    wait_ended(&hosted, &first, PriorDecision::Nothing).await;
    let progress = hosted.watcher().progress();
    assert_eq!((progress.calls_done, progress.calls_in_flight), (2, 0));
    assert!(progress.newest_call.is_none() && hosted.watcher().is_quiet());
}
