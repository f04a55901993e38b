//! Processes: started once, with a clean environment, ended when idle, restarted.

use super::{assert_works, call, eventually, fake, upstreams, with_variable};
use crate::config::ServerConfig;
use crate::upstream::{ServerState, UpstreamError};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn nothing_is_started_before_it_is_needed_and_then_once() {
    let upstreams = upstreams(fake("plain"));
    assert_eq!(upstreams.names(), ["fake"]);
    assert_eq!(upstreams.status()[0].state, ServerState::Idle);
    let uses = (0..20).map(|_| assert_works(&upstreams));
    futures_util::future::join_all(uses).await;
    let status = upstreams.status().remove(0);
    assert_eq!((status.state, status.restarts), (ServerState::Running, 0));
    assert!(status.pid.is_some() && status.startup_time.is_some());
    if cfg!(target_os = "linux") {
        assert!(status.memory.is_some_and(|bytes| bytes > 1 << 20), "{:?}", status.memory);
    }
    upstreams.close().await;
    assert_eq!(upstreams.status()[0].state, ServerState::Closed);
    assert!(call(&upstreams, "echo", json!({})).await.is_err());
}

#[tokio::test]
async fn background_servers_are_started_before_they_are_needed() {
    let mut config = fake("plain");
    config.background = true;
    let upstreams = upstreams(config);
    upstreams.background().iter().for_each(|server| upstreams.start(server));
    eventually("it runs", || upstreams.current_tools("fake").is_some()).await;
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_sees_what_is_declared_and_no_more() {
    // Cargo's own variables stand in for those of a client.
    let config = with_variable(fake("plain"), "FAKE_KEY", "hunter22");
    let upstreams = upstreams(config);
    let seen = call(&upstreams, "environment", json!({})).await.expect("an answer");
    let seen = seen.as_object().expect("an object");
    assert_eq!(seen["FAKE_KEY"], "hunter22");
    assert!(seen.contains_key("PATH"));
    assert_eq!(seen["PWD"].as_str(), super::project().to_str());
    let stray: Vec<_> = seen.keys().filter(|name| name.starts_with("CARGO")).collect();
    assert!(stray.is_empty(), "{stray:?}");
    upstreams.close().await;
}

#[tokio::test]
async fn a_start_that_fails_says_why_and_hides_keys() {
    let upstreams = upstreams(with_variable(fake("fails"), "FAKE_KEY", "hunter22"));
    let error = call(&upstreams, "echo", json!({})).await.expect_err("it fails");
    assert_eq!(error.code, "SERVER_FAILED");
    assert_eq!(
        error.message,
        "server `fake` cannot be started: it ended with exit status 1; its last output:\n  \
         | cannot find module `left-pad`, key=[hidden: 8 characters]"
    );
    assert!(matches!(
        upstreams.status()[0].state,
        ServerState::BackingOff { .. } | ServerState::Failed { .. }
    ));
}

#[tokio::test]
async fn a_server_that_refuses_to_begin_is_quoted() {
    let upstreams = upstreams(fake("refuses"));
    let error = upstreams.list_tools("fake").await.expect_err("it refuses").to_string();
    assert!(error.contains("it refuses to begin: not today \\u{1b}[2J (-32000)"), "{error}");
}

#[tokio::test]
async fn what_is_not_there_cannot_be_started() {
    let missing =
        ServerConfig::stdio("fake", "no-such-program-at-all", ["x"], "/").expect("a server");
    let error = upstreams(missing).list_tools("fake").await.expect_err("not there").to_string();
    assert!(error.contains("there is no program `no-such-program-at-all`"), "{error}");
    let nowhere =
        ServerConfig::stdio("fake", "python3", ["x"], "/no/such/folder").expect("a server");
    let error = upstreams(nowhere).list_tools("fake").await.expect_err("not there").to_string();
    assert!(error.contains("its folder does not exist: /no/such/folder"), "{error}");
    let error = upstreams(fake("plain")).list_tools("other").await.expect_err("not there");
    assert_eq!(error, UpstreamError::Unknown("other".into()));
}

#[tokio::test]
async fn a_missing_variable_keeps_a_server_from_starting() {
    let mut config = fake("plain");
    config.missing = vec!["FAKE_KEY".into()];
    config.background = true;
    let upstreams = upstreams(config);
    upstreams.background().iter().for_each(|server| upstreams.start(server));
    let error = call(&upstreams, "echo", json!({})).await.expect_err("it is missing");
    assert_eq!(error.code, "API_KEY_REQUIRED");
    assert!(error.message.contains("`FAKE_KEY`"), "{}", error.message);
    let status = upstreams.status().remove(0);
    assert_eq!(status.state, ServerState::Missing { variables: vec!["FAKE_KEY".into()] });
    assert_eq!(status.pid, None);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let mut config = fake("never");
    config.start_timeout = Duration::from_millis(300);
    let upstreams = upstreams(config);
    let error = upstreams.list_tools("fake").await.expect_err("no answer").to_string();
    assert_eq!(error, "server `fake` cannot be started: it did not answer within 300ms");
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_call_is_an_error_and_the_next_call_restarts() {
    let upstreams = upstreams(fake("plain"));
    assert_works(&upstreams).await;
    let (crash, beside) =
        tokio::join!(call(&upstreams, "crash", json!({})), call(&upstreams, "slow", json!({})));
    let error = crash.expect_err("it crashed");
    assert_eq!(error.code, "SERVER_FAILED");
    assert_eq!(
        error.message,
        "server `fake` ended during the call: it ended with exit status 3; its last output:\n  \
         | fatal: the disk is on fire"
    );
    assert_eq!(beside.expect_err("it crashed").code, "SERVER_FAILED");
    assert_works(&upstreams).await;
    assert_eq!(upstreams.status()[0].restarts, 1);
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_that_fails_again_and_again_is_left_alone() {
    let config =
        ServerConfig::stdio("fake", "no-such-program-at-all", ["x"], "/").expect("a server");
    let upstreams = upstreams(config);
    // Short pauses are waited for.
    let mut last = String::new();
    for _ in 0..12 {
        last = upstreams.list_tools("fake").await.expect_err("not there").to_string();
        if last.contains("tried again") {
            break;
        }
    }
    assert!(last.contains("failed, and is started again in"), "{last}");
    assert!(last.contains("there is no program"), "{last}");
    assert!(matches!(upstreams.status()[0].state, ServerState::BackingOff { .. }));
}

#[tokio::test]
async fn an_idle_server_is_reaped_and_started_again_when_needed() {
    let mut config = fake("plain");
    config.idle_timeout = Some(Duration::from_millis(50));
    let upstreams = upstreams(config);
    assert_works(&upstreams).await;
    eventually("it is idle", || upstreams.status()[0].state == ServerState::Idle).await;
    assert_works(&upstreams).await;
    let status = upstreams.status().remove(0);
    assert_eq!(status.restarts, 1);
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_that_ends_by_itself_is_started_again_when_needed() {
    let upstreams = upstreams(fake("quits"));
    assert_works(&upstreams).await;
    eventually("it is gone", || upstreams.current_tools("fake").is_none()).await;
    assert_works(&upstreams).await;
    upstreams.close().await;
}
