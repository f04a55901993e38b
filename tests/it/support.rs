//! Short names for what most tests do.

use pml::json::Value;
use pml::{
    BoxFuture, Call, CallError, Clock, Config, Engine, Environment, Outcome, Project, Reply,
    Script, Timestamp, Tools,
};
use pml_kit::TestEnv;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// A program that asks once, between two lines.
pub(crate) const CONFIRM: &str = "\
console.log('before')
const { approved } = await mcp.pml.confirm({ message: 'go on?', token: 's3cret' })
console.log('after')
return { approved }
";

/// A program that asks for two things at once.
pub(crate) const TWO: &str = "\
const both = await Promise.allSettled(['one', 'two'].map(message => mcp.pml.confirm({ message })))
return both.map(each => each.status === 'fulfilled' ? 'yes' : each.reason.code)
";

/// A clean place to run the binary in.
pub(crate) fn pml() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_pml"))
}

/// Runs the binary, which must print one line of JSON and exit with 0.
pub(crate) fn told(env: &TestEnv, arguments: &[&str]) -> Value {
    let output = env.run(arguments);
    assert_eq!(output.code, 0, "{arguments:?}: {}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {}", output.stdout);
    pml::json::from_str(&output.stdout).expect("JSON")
}

/// Trusts the project in the folder, as its owner would, and makes no journal for it.
pub(crate) fn trust(env: &TestEnv) {
    let state = env.state_home().to_string_lossy();
    let environment: Environment = [("XDG_STATE_HOME", state)].into_iter().collect();
    let project = Project::load_in(env.path(), &environment).expect("it can be read");
    project.grant_trust(&environment).expect("it is recorded");
}

/// The id of the only open question.
pub(crate) fn open_question(env: &TestEnv) -> String {
    let open = told(env, &["approvals", "--json"]);
    assert_eq!(open.as_array().map(Vec::len), Some(1), "{open}");
    open[0]["workflow_id"].as_str().expect("an id").into()
}

/// The short digest of the only ask that waits.
pub(crate) fn short_digest(env: &TestEnv) -> String {
    let open = told(env, &["approvals", "--json"]);
    open[0]["asks"][0]["digest"].as_str().expect("a digest")[..12].into()
}

/// The state of the newest run.
pub(crate) fn state(env: &TestEnv) -> String {
    let runs = told(env, &["runs", "--json", "-n", "1"]);
    runs[0]["state"].as_str().expect("a state").into()
}

/// Asks again and again until it is so.
#[expect(clippy::disallowed_methods, reason = "how long a test waits, which no program sees")]
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !so() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
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

/// A clock that is set by hand.
#[derive(Default)]
pub(crate) struct ByHand(AtomicU64);

impl ByHand {
    /// A clock that stands at `micros`.
    pub(crate) fn at(micros: u64) -> ByHand {
        ByHand(AtomicU64::new(micros))
    }

    pub(crate) fn set(&self, micros: u64) {
        self.0.store(micros, Ordering::SeqCst);
    }

    pub(crate) fn forward(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_micros()).expect("not for ever"), Ordering::SeqCst);
    }
}

impl Clock for ByHand {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
