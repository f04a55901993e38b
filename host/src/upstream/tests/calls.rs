//! Calls of the fake server's tools.

use crate::model::{CallError, RunBudget};
use crate::upstream::Upstreams;
use serde_json::{Map, Value, json};

pub(super) async fn call(
    upstreams: &Upstreams,
    tool: &str,
    arguments: Value,
) -> Result<Value, CallError> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let budget = RunBudget::without_run();
    let reply = upstreams.call("fake", tool, arguments, None, &budget).await?;
    Ok(serde_json::from_str(&reply).expect("JSON"))
}

pub(super) fn no_arguments() -> Map<String, Value> {
    Map::new()
}

/// Calls `echo` and checks that it answers.
pub(super) async fn assert_works(upstreams: &Upstreams) {
    assert_eq!(call(upstreams, "echo", json!({ "n": 1 })).await, Ok(json!({ "n": 1 })));
}
