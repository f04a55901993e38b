//! Short names for what most tests do.

use pml::json::Value;
use pml::{BoxFuture, Call, CallError, Config, Engine, Outcome, Reply, Script, Tools};
use pml_kit::TestEnv;
use std::sync::Arc;
use tokio::sync::Notify;

/// A clean place to run the binary in.
pub(crate) fn pml() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_pml"))
}

/// An engine that allows all tools; `change` sets the rest.
pub(crate) fn engine(change: impl FnOnce(&mut Config) -> &mut Config) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").runs(16);
    change(&mut config);
    Engine::new(&config).expect("an engine")
}

/// Runs a program with the tools of [`TestTools`].
pub(crate) async fn run(engine: &Engine, code: &str) -> Outcome {
    engine.run(Script::ts(code)).tools(TestTools::default()).await.expect("the sandbox works")
}

/// The value that a program must return.
pub(crate) async fn value(engine: &Engine, code: &str) -> Value {
    let outcome = run(engine, code).await;
    match outcome.failure() {
        None => outcome.value().unwrap_or(Value::Null),
        Some(failure) => panic!("{code}\n{failure:#?}"),
    }
}

/// The code with which a program must fail.
pub(crate) async fn code(engine: &Engine, code: &str) -> &'static str {
    let outcome = run(engine, code).await;
    outcome.failure().unwrap_or_else(|| panic!("{code}\n{:?}", outcome.ending)).code.as_str()
}

/// `t:echo` answers at once, `t:later` after giving way, `t:wait` when released, `t:fail` never well.
#[derive(Clone, Default)]
pub(crate) struct TestTools {
    pub(crate) release: Arc<Notify>,
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
