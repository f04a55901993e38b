//! Several clients of one run: they wait, leave, answer and cancel.

use super::super::{
    CancelRequest, HostedRunState, PriorDecision, RecordOutcome, RunConclusion, WaitOutcome,
};
use super::{approve, asking_run, engine, host_of_two, result, tools, wait_asked, wait_ended};
use crate::Script;
use crate::model::Code;
use crate::router::tools_from_fn;
use crate::run::Ending;
use serde_json::json;
use std::future::{pending, ready};
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::test]
async fn two_clients_wait_for_one_run_and_both_get_its_end() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let gate = Arc::new(Notify::new());
    let opened = gate.clone();
    let gated = tools_from_fn(move |_| {
        let opened = opened.clone();
        async move {
            opened.notified().await;
            Ok(json!(42))
        }
    });
    let run = engine.run(Script::ts("return await mcp.go.on({})")).tools(gated);
    let hosted = host.start(&engine, &first, run);
    let (one, other, ()) = tokio::join!(
        wait_ended(&hosted, &first, PriorDecision::Nothing),
        wait_ended(&hosted, &second, PriorDecision::Nothing),
        async { gate.notify_one() },
    );
    assert_eq!(result(&one), Some(json!(42)));
    assert!(Arc::ptr_eq(&one, &other));
}

#[tokio::test]
async fn a_client_that_leaves_does_not_end_the_wait_of_another() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    let question = wait_asked(&hosted, &second).await;
    first.disconnect();
    assert!(matches!(approve(&engine, &question).await, RecordOutcome::Recorded { .. }));
    let ended = wait_ended(&hosted, &second, PriorDecision::Settled(question.id)).await;
    assert_eq!(result(&ended), Some(json!("ask:first")));
}

#[tokio::test]
async fn the_wait_of_a_client_that_is_gone_ends_while_the_run_goes_on_for_another() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let run = engine.run(Script::ts("return await mcp.go.on({})"));
    let hosted = host.start(&engine, &first, run.tools(tools_from_fn(|_| pending())));
    let _request = hosted.register_request(&second);
    first.disconnect();
    let waited = hosted.wait(&first, PriorDecision::Nothing, pending()).await;
    assert!(matches!(waited, WaitOutcome::ClientGone), "{waited:?}");
    assert!(host.find(hosted.id()).is_some());
}

#[tokio::test]
async fn a_run_whose_clients_are_all_gone_is_left_to_the_journal_and_others_go_on() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let released = host.start(&engine, &first, asking_run(&engine));
    let running = host.start(&engine, &second, asking_run(&engine));
    wait_asked(&released, &first).await;
    let question = wait_asked(&running, &second).await;
    first.disconnect();
    let mut state = released.state();
    let ended = |state: &HostedRunState| matches!(state, HostedRunState::Ended(_));
    state.wait_for(ended).await.expect("it is left to the journal");
    drop(state);
    let ended = wait_ended(&released, &first, PriorDecision::Nothing).await;
    assert_eq!(ended.error(), Some(Code::Cancelled));
    assert!(host.find(released.id()).is_none() && host.find(running.id()).is_some());
    approve(&engine, &question).await;
    let ended = wait_ended(&running, &second, PriorDecision::Settled(question.id)).await;
    assert_eq!(result(&ended), Some(json!("ask:first")));
}

#[tokio::test]
async fn a_question_that_one_client_answers_wakes_the_other() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    let question = wait_asked(&hosted, &first).await;
    // The second client waits for more than this question, as if it were about to be answered.
    let (ended, recorded) = tokio::join!(
        wait_ended(&hosted, &second, PriorDecision::Settled(question.id)),
        approve(&engine, &question),
    );
    assert!(matches!(recorded, RecordOutcome::Recorded { settled: true, .. }));
    assert_eq!(result(&ended), Some(json!("ask:first")));
    // Its outcome is stored for the first client, whose own answer comes too late.
    let late = approve(&engine, &question).await;
    assert!(!matches!(late, RecordOutcome::Recorded { .. }), "{late:?}");
    let again = host.find_or_resume(&engine, &first, tools(), hosted.id()).await;
    assert!(Arc::ptr_eq(&again, &hosted));
    assert_eq!(result(&*wait_ended(&again, &first, PriorDecision::Nothing).await), result(&ended));
}

#[tokio::test]
async fn a_client_cancels_its_own_run_and_not_one_that_another_waits_for() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    let question = wait_asked(&hosted, &first).await;
    let after = PriorDecision::Settled(question.id);
    let cancel = || ready(CancelRequest::new("first", "test"));
    let request = hosted.register_request(&second);
    assert!(matches!(hosted.wait(&first, after, cancel()).await, WaitOutcome::Cancelled));
    assert!(hosted.has_open_question(question.id));
    drop(request);
    assert!(matches!(hosted.wait(&first, after, cancel()).await, WaitOutcome::Cancelled));
    let ended = wait_ended(&hosted, &second, after).await;
    assert!(ended.cancelled && matches!(ended.conclusion, RunConclusion::Stored(_)));
}

#[tokio::test]
async fn a_request_that_is_cancelled_does_not_end_the_run_for_another_of_the_same_client() {
    let (engine, (host, client, _)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &client, asking_run(&engine));
    let question = wait_asked(&hosted, &client).await;
    let after = PriorDecision::Settled(question.id);
    let cancel = || ready(CancelRequest::new("client", "test"));
    let (first, second) = (hosted.register_request(&client), hosted.register_request(&client));
    let waited = hosted.wait_for_request(&first, after, cancel()).await;
    assert!(matches!(waited, WaitOutcome::Cancelled), "{waited:?}");
    assert!(hosted.has_open_question(question.id));
    // A request that is no longer there does not wait.
    drop(first);
    let waited = hosted.wait_for_request(&second, after, cancel()).await;
    assert!(matches!(waited, WaitOutcome::Cancelled), "{waited:?}");
    let ended = wait_ended(&hosted, &client, after).await;
    assert!(ended.cancelled, "{ended:?}");
}

#[tokio::test]
async fn a_cancelled_run_names_what_it_completed_and_what_was_cut_off() {
    let (engine, (host, client, _)) = (engine(), host_of_two());
    let program = "await mcp.go.on({}); await mcp.go.stuck({})";
    let sent = Arc::new(Notify::new());
    let told = sent.clone();
    let tools = tools_from_fn(move |call| {
        let told = told.clone();
        async move {
            if call.tool.tool() == "stuck" {
                told.notify_one();
                pending::<()>().await;
            }
            Ok(json!(1))
        }
    });
    let hosted = host.start(&engine, &client, engine.run(Script::ts(program)).tools(tools));
    sent.notified().await;
    hosted.cancel(CancelRequest::new("client", "test"));
    let ended = wait_ended(&hosted, &client, PriorDecision::Nothing).await;
    let RunConclusion::Stored(stored) = &ended.conclusion else { panic!("{ended:?}") };
    assert_eq!(
        (&stored.calls.completed[..], &stored.calls.unsettled[..]),
        (&["go:on".to_owned()][..], &["go:stuck".to_owned()][..])
    );
    let Some(Ending::Aborted(aborted)) = &stored.ending else { panic!("{stored:?}") };
    let completed: Vec<_> = aborted.completed.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(completed, ["go:on"]);
}

#[tokio::test]
async fn a_released_run_is_resumed_from_the_journal() {
    let (engine, (host, first, second)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    let question = wait_asked(&hosted, &first).await;
    host.release(hosted.id()).await;
    assert!(host.find(hosted.id()).is_none());
    approve(&engine, &question).await;
    let resumed = host.find_or_resume(&engine, &second, tools(), hosted.id()).await;
    assert!(!Arc::ptr_eq(&resumed, &hosted));
    let ended = wait_ended(&resumed, &second, PriorDecision::Settled(question.id)).await;
    assert_eq!(result(&ended), Some(json!("ask:first")));
}

#[tokio::test]
async fn a_host_that_closes_leaves_its_runs_to_the_journal() {
    let (engine, (host, first, _)) = (engine(), host_of_two());
    let hosted = host.start(&engine, &first, asking_run(&engine));
    wait_asked(&hosted, &first).await;
    host.wait_closed().await;
    assert!(first.is_gone() && host.connect().is_gone() && host.find(hosted.id()).is_none());
    let ended = wait_ended(&hosted, &first, PriorDecision::Nothing).await;
    assert_eq!(ended.error(), Some(Code::Cancelled));
}
