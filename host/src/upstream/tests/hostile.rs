//! Servers that print garbage, answer wrongly, or do not answer.

use super::{PATIENCE, assert_works, call, eventually, fake, no_arguments, upstreams};
use crate::config::ServerConfig;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test]
async fn garbage_between_the_answers_does_no_harm() {
    let upstreams = upstreams(fake("garbage"));
    assert_works(&upstreams).await;
    assert_works(&upstreams).await;
    let status = upstreams.status().remove(0);
    assert!(status.noise_lines >= 8, "{}", status.noise_lines);
    assert!(status.stderr.iter().any(|line| line == "\\u{1b}[31mnot json"), "{:?}", status.stderr);
    upstreams.close().await;
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let upstreams = upstreams(fake("reversed"));
    let pair = tokio::join!(
        call(&upstreams, "echo", json!({ "n": 1 })),
        call(&upstreams, "echo", json!({ "n": 2 })),
    );
    assert_eq!(pair, (Ok(json!({ "n": 1 })), Ok(json!({ "n": 2 }))));
    upstreams.close().await;
}

#[tokio::test]
async fn a_second_answer_is_ignored() {
    let upstreams = upstreams(fake("twice"));
    for _ in 0..3 {
        assert_works(&upstreams).await;
    }
    upstreams.close().await;
}

#[tokio::test]
async fn a_call_that_is_never_answered_ends_in_time_and_the_server_is_told() {
    let mut config = fake("plain");
    config.call_timeout = Duration::from_millis(200);
    let upstreams = upstreams(config);
    upstreams.list_tools("fake").await.expect("it starts");
    let error = call(&upstreams, "slow", json!({})).await.expect_err("no answer");
    assert_eq!(error.code, "CALL_TIMEOUT");
    assert!(error.message.contains("`fake:slow` did not answer within"), "{}", error.message);
    assert_eq!(cancelled(&upstreams).await, 1);
    upstreams.close().await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_withdrawn() {
    let upstreams = upstreams(fake("plain"));
    upstreams.list_tools("fake").await.expect("it starts");
    {
        let slow = call(&upstreams, "slow", json!({}));
        let slow = std::pin::pin!(slow);
        // Answered only after the slow call was read, since the server reads in order.
        tokio::select! {
            biased;
            _ = slow => panic!("nobody released it"),
            () = assert_works(&upstreams) => {}
        }
    }
    assert_eq!(cancelled(&upstreams).await, 1);
    assert_works(&upstreams).await;
    upstreams.close().await;
}

/// Returns the number of cancellations that the server received.
async fn cancelled(upstreams: &super::Upstreams) -> usize {
    let seen = call(upstreams, "seen", json!({})).await.expect("an answer");
    let seen = seen.as_array().expect("a list");
    seen.iter().filter(|message| message["method"] == "notifications/cancelled").count()
}

#[tokio::test]
async fn a_server_that_stops_reading_holds_up_nobody_for_longer_than_its_time() {
    let mut config = fake("deaf");
    config.call_timeout = Duration::from_millis(200);
    let upstreams = upstreams(config);
    // More than the pipe can hold.
    let large = json!({ "text": "x".repeat(1 << 20) });
    let calls = async {
        tokio::join!(call(&upstreams, "echo", large), call(&upstreams, "echo", json!({})))
    };
    let (one, other) = timeout(PATIENCE, calls).await.expect("they end");
    assert_eq!(one.expect_err("no answer").code, "CALL_TIMEOUT");
    assert_eq!(other.expect_err("no answer").code, "CALL_TIMEOUT");
    timeout(PATIENCE, upstreams.close()).await.expect("it ends");
}

#[tokio::test]
async fn a_line_of_a_hundred_megabytes_is_an_error_at_once() {
    let upstreams = upstreams(fake("plain"));
    for last in [false, true] {
        let error = call(&upstreams, "huge", json!({ "last": last })).await.expect_err("too large");
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("REPLY_SIZE", "the answer is larger than 32 MiB")
        );
    }
    assert_works(&upstreams).await;
    upstreams.close().await;
}

#[tokio::test]
async fn what_nobody_declared_is_refused_to_the_server() {
    let upstreams = upstreams(fake("plain"));
    let answers = call(&upstreams, "ask", json!({})).await.expect("an answer");
    let unknown = |name: &str| json!([name, -32601]);
    let wanted =
        [unknown("elicitation/create"), unknown("roots/list"), unknown("sampling/createMessage")];
    assert_eq!(answers, Value::from(wanted.to_vec()));
    let error = call(&upstreams, "input", json!({})).await.expect_err("it asks for input");
    assert_eq!(error.code, "TOOL_FAILED");
    assert!(
        error.message.contains("asks for input, which programs cannot give"),
        "{}",
        error.message
    );
    upstreams.close().await;
}

#[tokio::test]
async fn progress_is_told() {
    let upstreams = upstreams(fake("plain"));
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = reports.clone();
    let mut arguments = no_arguments();
    arguments.insert("steps".into(), json!(3));
    let progress = crate::model::CallProgressSink::new(move |step| {
        sink.lock().expect("not poisoned").push((step.done, step.total));
    });
    let budget = crate::model::RunBudget::without_run();
    let answer = upstreams.call("fake", "progress", arguments, Some(progress), &budget).await;
    assert_eq!(answer.as_deref(), Ok("\"done\""));
    // Each report is handled in its own task, and the last ones may arrive after the answer.
    eventually("all is told", || reports.lock().expect("not poisoned").len() == 3).await;
    let mut reports = reports.lock().expect("not poisoned").clone();
    reports.sort_by(|one, other| one.0.total_cmp(&other.0));
    assert_eq!(reports, [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))]);
    upstreams.close().await;
}

#[tokio::test]
async fn a_refused_call_throws_what_the_server_said() {
    let upstreams = upstreams(fake("plain"));
    let error = call(&upstreams, "nonsense", json!({})).await.expect_err("there is no such tool");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("ARGUMENTS", "no such tool: nonsense")
    );
    assert_eq!(error.data, Some(json!({ "code": -32602 })));
    upstreams.close().await;
}

#[tokio::test]
async fn many_calls_at_once_share_one_server() {
    let upstreams = upstreams(fake("plain"));
    let calls = (0..200).map(|n| {
        let upstreams = &upstreams;
        async move { call(upstreams, "echo", json!({ "n": n })).await == Ok(json!({ "n": n })) }
    });
    let answered = futures_util::future::join_all(calls).await;
    assert!(answered.into_iter().all(|right| right));
    assert_eq!(upstreams.status()[0].restarts, 0);
    upstreams.close().await;
}

#[tokio::test]
async fn a_program_that_prints_without_end_is_given_up_and_not_waited_for() {
    let flood = ServerConfig::stdio("flood", "yes", ["not MCP"], "/").expect("a server");
    let upstreams = upstreams(flood);
    let error = upstreams.list_tools("flood").await.expect_err("it is no server").to_string();
    assert!(!error.contains("did not answer within"), "{error}");
    assert!(error.contains("not MCP"), "{error}");
    upstreams.close().await;
}
