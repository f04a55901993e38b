//! The sandbox as an embedder uses it: an engine, a program, and tools in this process.

use pml::json::Value;
use pml::{BoxFuture, Call, CallError, Config, Engine, Outcome, Reply, Script, Tools};
use std::sync::Arc;
use tokio::sync::Notify;

/// Returns an engine that allows all tools; `change` sets the rest.
pub fn engine(change: impl FnOnce(&mut Config) -> &mut Config) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").runs(16);
    change(&mut config);
    Engine::new(&config).expect("an engine")
}

/// Runs a program with the tools of [`TestTools`].
pub async fn run(engine: &Engine, code: &str) -> Outcome {
    engine.run(Script::ts(code)).tools(TestTools::default()).await.expect("the sandbox works")
}

/// Returns the value that a program must return.
pub async fn value(engine: &Engine, code: &str) -> Value {
    let outcome = run(engine, code).await;
    match outcome.failure() {
        None => outcome.value().unwrap_or(Value::Null),
        Some(failure) => panic!("{code}\n{failure:#?}"),
    }
}

/// Returns the code with which a program must fail.
pub async fn code(engine: &Engine, code: &str) -> &'static str {
    let outcome = run(engine, code).await;
    outcome.failure().unwrap_or_else(|| panic!("{code}\n{:?}", outcome.ending)).code.as_str()
}

/// `t:echo` answers at once, `t:later` after giving way, `t:wait` when released, `t:fail` never
/// well.
#[derive(Clone, Default)]
pub struct TestTools {
    /// Lets one call of `t:wait` go on.
    pub release: Arc<Notify>,
}

impl Tools for TestTools {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match call.tool.as_str() {
                "t:echo" => Ok(call.arguments),
                "t:later" => {
                    tokio::task::yield_now().await;
                    Ok(call.arguments)
                }
                "t:wait" => {
                    self.release.notified().await;
                    Ok(call.arguments)
                }
                "t:fail" => Err(CallError::tool("it does not work").with_data(call.arguments)),
                other => Err(CallError::unknown(other)),
            }
        })
    }
}
