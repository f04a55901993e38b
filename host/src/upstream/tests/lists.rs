//! Lists of tools: pages, changes, and invalid names.

use super::{PATIENCE, call, eventually, fake, upstreams, with_cache};
use futures_util::FutureExt;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test]
async fn all_pages_are_read() {
    let upstreams = upstreams(fake("paged"));
    assert!(upstreams.current_tools("fake").is_none());
    let listing = upstreams.list_tools("fake").await.expect("a list");
    assert_eq!(listing.tools().len(), 12);
    assert!(upstreams.current_tools("fake").is_some());
    assert!(upstreams.list_tools("other").await.is_err());
    upstreams.close().await;
    assert!(upstreams.current_tools("fake").is_none());
}

#[tokio::test]
async fn pages_without_end_are_cut_off() {
    let upstreams = upstreams(fake("circle"));
    let listing = upstreams.list_tools("fake").await.expect("a list");
    assert_eq!(listing.tools().len(), 100);
    upstreams.close().await;
}

#[tokio::test]
async fn what_cannot_be_called_is_left_out_and_noted() {
    let upstreams = upstreams(fake("odd-names"));
    let listing = upstreams.list_tools("fake").await.expect("a list");
    let names: Vec<_> = listing.tools().iter().map(|tool| tool.definition.tool.as_str()).collect();
    assert_eq!(names, ["fake:good"]);
    assert_eq!(upstreams.status()[0].skipped_tools.len(), 5);
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_that_does_not_list_its_tools_cannot_be_started() {
    let upstreams = upstreams(fake("no-list"));
    let error = upstreams.list_tools("fake").await.expect_err("no list").to_string();
    assert!(error.contains("it does not list its tools: the list is lost"), "{error}");
    upstreams.close().await;
}

#[tokio::test]
async fn a_list_that_never_comes_is_waited_for_once_by_all() {
    let mut config = fake("stalls");
    config.call_timeout = Duration::from_secs(2);
    let upstreams = upstreams(config);
    upstreams.list_tools("fake").await.expect("the first list");
    assert_eq!(call(&upstreams, "grow", json!({})).await, Ok(json!("growing")));
    eventually("the change is known", || upstreams.current_tools("fake").is_none()).await;
    let all = futures_util::future::join_all((0..20).map(|_| upstreams.list_tools("fake"))).await;
    for listed in all {
        let error = listed.expect_err("no list").to_string();
        assert!(error.contains("did not list its tools: no answer within 2s"), "{error}");
    }
    // The first one, that of the monitor, and at most one more, but not one for each caller.
    let lists = call(&upstreams, "lists", json!({})).await.expect("an answer");
    assert!(lists == json!(2) || lists == json!(3), "{lists}");
    upstreams.close().await;
}

#[tokio::test]
async fn a_list_whose_asker_went_away_is_asked_for_by_another() {
    let mut config = fake("stalls");
    config.call_timeout = Duration::from_secs(2);
    let upstreams = upstreams(config);
    upstreams.list_tools("fake").await.expect("the first list");
    assert_eq!(call(&upstreams, "grow", json!({})).await, Ok(json!("growing")));
    eventually("the change is known", || upstreams.current_tools("fake").is_none()).await;
    assert!(upstreams.list_tools("fake").now_or_never().is_none());
    assert!(timeout(PATIENCE, upstreams.list_tools("fake")).await.expect("it ends").is_err());
    upstreams.close().await;
}

#[tokio::test]
async fn tools_that_change_are_listed_anew_in_both_eras() {
    for mode in ["plain", "modern"] {
        let folder = tempfile::tempdir().expect("a folder");
        let upstreams = with_cache(fake(mode), folder.path());
        let before = upstreams.list_tools("fake").await.expect("a list");
        assert!(before.get("grown0").is_none());
        // A modern server notifies only its subscribers, and subscribing happens in the background.
        let subscribed =
            async { while call(&upstreams, "subscribed", json!({})).await != Ok(json!(true)) {} };
        if mode == "modern" {
            timeout(PATIENCE, subscribed).await.expect("somebody listens");
        }
        assert_eq!(call(&upstreams, "grow", json!({})).await, Ok(json!("growing")));
        eventually("the new tool is listed", || {
            let listed = upstreams.current_tools("fake");
            listed.is_some_and(|listing| listing.get("grown0").is_some())
        })
        .await;
        let answer = call(&upstreams, "grown0", json!({ "n": 1 })).await;
        assert_eq!(answer, Ok(json!({ "n": 1 })));
        upstreams.close().await;
    }
}
