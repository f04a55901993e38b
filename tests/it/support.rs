//! Short names for what most tests do.

use pml::json::Value;
use pml::{BoxFuture, Call, CallError, Config, Engine, Outcome, Reply, Script, Tools};
use pml_kit::TestEnv;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

/// A clean place to run the binary in.
pub(crate) fn pml() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_pml"))
}

/// The path of an example. Cargo builds them beside the tests, before it runs these.
pub(crate) fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("this test");
    tests.ancestors().nth(2).expect("target/release").join("examples").join(name)
}

/// How many programs to make: `count`, or as many times more as `PML_SOAK` says (`just soak`).
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
pub(crate) fn soak(count: u64) -> u64 {
    let times = std::env::var("PML_SOAK").ok().and_then(|times| times.parse::<u64>().ok());
    count * times.unwrap_or(1)
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
