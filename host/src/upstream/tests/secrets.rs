//! Servers that print the secrets that they were given.

use super::http::{Raw, upstreams_at};
use super::{call, fake, upstreams, with_argument};
use crate::model::Secret;
use crate::upstream::Upstreams;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Returns a process that was given a key as an argument, from a variable.
fn leaking_server(key: &str) -> Upstreams {
    let mut config = with_argument(fake("blabs"), Path::new(key));
    config.secrets.push(Secret::new(key));
    upstreams(config)
}

#[tokio::test]
async fn a_key_among_the_arguments_is_in_no_error() {
    let upstreams = leaking_server("refuse-hunter22");
    let error = upstreams.list_tools("fake").await.expect_err("it refuses").to_string();
    assert!(
        error.contains("it refuses to begin: bad key: [hidden: 15 characters] (-32000)"),
        "{error}"
    );
    assert!(error.contains("its last output:") && !error.contains("xre"), "{error}");
    assert!(!error.contains("hunter"), "{error}");
}

#[tokio::test]
async fn a_key_among_the_arguments_is_in_no_refusal_and_in_no_status() {
    let upstreams = leaking_server("hunter22");
    let error = call(&upstreams, "echo", json!({})).await.expect_err("it refuses");
    assert_eq!(error.message, "bad key: [hidden: 8 characters]");
    let stderr = upstreams.status().remove(0).stderr;
    assert!(!stderr.is_empty() && !stderr.concat().contains("hunt"), "{stderr:?}");
    upstreams.close().await;
}

#[tokio::test]
async fn a_body_that_echoes_the_headers_does_not_show_the_key() {
    let echo = || {
        let body = format!("{}Authorization: Bearer hunter22", "x".repeat(470));
        (StatusCode::INTERNAL_SERVER_ERROR, body).into_response()
    };
    for when in ["always", "in a call"] {
        let mut raw = Raw::default();
        match when {
            "always" => raw.always = Some(Arc::new(echo)),
            _ => raw.answer = Some(Arc::new(echo)),
        }
        let upstreams = upstreams_at(&raw.serve().await, &[("Authorization", "Bearer hunter22")]);
        let error = call(&upstreams, "echo", json!({})).await.expect_err("it fails").message;
        assert!(error.contains("answers with HTTP 500: xxx"), "{error}");
        let hidden = "Authorization: [hidden: 6 characters] [hidden: 8 characters]";
        assert!(error.ends_with(hidden), "{error}");
        upstreams.close().await;
    }
}
