//! The journal that an older pml leaves in a project.

use crate::TestEnv;
use crate::sandbox::TestTools;
use pml::{
    Answer, Config, Decision, Engine, Journal, Script, Store, Timestamp, journal::Durability,
};
use std::sync::Arc;

/// Leaves what an older pml would have left: a run that finished after an answer, one that failed,
/// and some that wait. How far the trail goes is in the user's state folder.
pub fn leave_older_journal(env: &TestEnv, waiting: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let heads = env.state().join("audit");
        let folder = env.path().join(".pml");
        let store = Store::open_with_heads(folder, Durability::Process, heads).expect("it opens");
        let mut config = Config::new();
        config.allow_tool("*").ask_tool("t:later").question_lifetime(None);
        let engine = Engine::with_journal(&config, Arc::new(store.clone())).expect("an engine");
        let run = |code: &str, name: &str| {
            engine.run(Script::ts(code).named(name)).tools(TestTools::default())
        };
        let asks = "return (await mcp.t.later({ n: 4 })).n";
        let asking = run(asks, "answered.ts");
        let id = asking.id();
        let _waits = asking.await.expect("it waits");
        let open = store.questions(Some(id), Timestamp(0)).await.expect("it reads");
        let yes = Answer::all(&open[0].question, Decision::Approve, "ann", "terminal");
        store.answer(open[0].question.id, yes, Timestamp(0)).await.expect("it records");
        engine.resume(id).tools(TestTools::default()).await.expect("it goes on");
        run("throw new Error('no')", "failed.ts").await.expect("it runs");
        for _ in 0..waiting {
            run(asks, "waiting.ts").await.expect("it waits");
        }
    });
}
