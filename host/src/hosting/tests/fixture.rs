//! An engine, runs and clients for tests.

use super::super::{
    Client, EndedRun, HostedRun, PriorDecision, RecordOutcome, RunConclusion, RunHost, WaitOutcome,
    record_answer,
};
use crate::Script;
use crate::config::Config;
use crate::model::{Decision, Decisions, Question};
use crate::router::{Tools, tools_from_fn};
use crate::run::{Engine, Run};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::Arc;

/// Returns an engine with a journal in memory. It allows `go:*` and asks about `ask:*`.
pub(super) fn engine() -> Engine {
    let mut config = Config::new();
    config.allow_tool("go:*").ask_tool("ask:*");
    Engine::new(&config).expect("an engine")
}

/// Returns tools that reply with their own names.
pub(super) fn tools() -> impl Tools {
    tools_from_fn(|call| async move { Ok(json!(call.tool)) })
}

/// Returns a run that asks once, and returns the name of the tool that it was allowed to call.
pub(super) fn asking_run(engine: &Engine) -> Run {
    let program = "console.log('before'); const name = await mcp.ask.first({}); console.log('after'); return name";
    engine.run(Script::ts(program)).tools(tools())
}

/// Waits for a run as a client that never cancels.
async fn wait(hosted: &HostedRun, client: &Client, after: PriorDecision) -> WaitOutcome {
    hosted.wait(client, after, pending()).await
}

pub(super) async fn wait_asked(hosted: &HostedRun, client: &Client) -> Question {
    match wait(hosted, client, PriorDecision::Nothing).await {
        WaitOutcome::Asked(question) => question,
        other => panic!("it does not ask: {other:?}"),
    }
}

pub(super) async fn wait_ended(
    hosted: &HostedRun,
    client: &Client,
    after: PriorDecision,
) -> Arc<EndedRun> {
    match wait(hosted, client, after).await {
        WaitOutcome::Ended(ended) => ended,
        other => panic!("it does not end: {other:?}"),
    }
}

/// Approves all of a question.
pub(super) async fn approve(engine: &Engine, question: &Question) -> RecordOutcome {
    let decisions = Decisions::All(Decision::Approve);
    record_answer(engine, question, decisions, "somebody", "test").await.expect("recorded")
}

/// Returns the result of a run that ended here.
pub(super) fn result(ended: &EndedRun) -> Option<Value> {
    match &ended.conclusion {
        RunConclusion::Outcome(report) => report.outcome.value(),
        other => panic!("it did not end here: {other:?}"),
    }
}

/// Returns a host with two clients.
pub(super) fn host_of_two() -> (RunHost, Client, Client) {
    let host = RunHost::new();
    let (first, second) = (host.connect(), host.connect());
    (host, first, second)
}
