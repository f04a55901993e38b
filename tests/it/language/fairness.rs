//! A busy program holds nobody up. Counted in time slices, so that a slow machine changes nothing.

use pml::Script;
use pml::json::json;
use pml_kit::sandbox::{TestTools, engine};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// On one thread, a busy program and one that makes calls take turns: whenever the busy one has
/// used up a slice, the other gets to run. With slices of a millisecond, eight are well within the
/// ten that nobody may wait longer than.
#[tokio::test(flavor = "current_thread")]
async fn a_busy_program_gives_way_after_every_slice() {
    const CALLS: u64 = 200;
    let engine = engine(|config| config.cpu_time(Duration::from_secs(60)));
    let most_between = Arc::new(AtomicU64::new(0));
    let busy = tokio::spawn(engine.run(Script::ts("for (;;);")).into_future());
    let yields = Arc::new(AtomicU64::new(0));
    let counted = yields.clone();
    // A task of the runtime itself: how often it gets the thread between two calls shows how the
    // thread is shared.
    let beat = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    });
    let (last, most) = (Arc::new(AtomicU64::new(0)), most_between.clone());
    let seen = yields.clone();
    let tools = pml::tools_from_fn(move |call| {
        let now = seen.load(Ordering::SeqCst);
        let before = last.swap(now, Ordering::SeqCst);
        most.fetch_max(now - before, Ordering::SeqCst);
        async move {
            tokio::task::yield_now().await;
            Ok(call.arguments)
        }
    });
    let program =
        format!("for (let i = 0; i < {CALLS}; i++) await mcp.t.echo({{ i }}); return {CALLS}");
    let outcome = engine.run(Script::ts(program)).tools(tools).await.expect("the sandbox works");
    beat.abort();
    busy.abort();
    assert_eq!(outcome.value(), Some(json!(CALLS)));
    // Every beat of the runtime lies at most one slice of the busy program after the one before.
    assert!(most_between.load(Ordering::SeqCst) <= 8, "{most_between:?} beats between two calls");
}

/// A crowded machine may hold up the thread that ends slices, so one attempt of several has to show
/// them short.
#[tokio::test(flavor = "current_thread")]
async fn a_busy_program_is_cut_into_slices_of_a_millisecond_or_so() {
    const ATTEMPTS: usize = 20;
    let engine = engine(|config| config.cpu_time(Duration::from_millis(300)));
    let mut longest = Vec::new();
    for _ in 0..ATTEMPTS {
        let outcome = engine.run(Script::ts("for (;;);")).await.expect("the sandbox works");
        let usage = &outcome.usage;
        let slice = usage.cpu_time / u32::try_from(usage.slices.max(1)).expect("a few hundred");
        if usage.slices >= 30 && slice <= Duration::from_millis(10) {
            return;
        }
        longest.push(slice);
    }
    panic!("slices were this long: {longest:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn a_program_of_many_short_steps_gives_way_too() {
    let engine = engine(|config| config.calls(1_000_000));
    let chatty = tokio::spawn(
        engine
            .run(Script::ts("for (;;) await mcp.t.echo({})"))
            .tools(TestTools::default())
            .into_future(),
    );
    let beats = async {
        let mut beats = 0;
        while beats < 50 {
            tokio::task::yield_now().await;
            beats += 1;
        }
        beats
    };
    // If the chatty program never gave way, this task would not get the thread back before the
    // program's end.
    assert_eq!(beats.await, 50);
    assert!(!chatty.is_finished());
    chatty.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_beyond_the_slots_wait_for_their_turn() {
    let engine = engine(|config| config.runs(2));
    let release = TestTools::default();
    let hold = |engine: &pml::Engine| {
        tokio::spawn(
            engine
                .run(Script::ts("await mcp.t.wait({}); return 1"))
                .tools(release.clone())
                .into_future(),
        )
    };
    let held = [hold(&engine), hold(&engine), hold(&engine), hold(&engine)];
    for run in held {
        while !run.is_finished() {
            release.release.notify_waiters();
            tokio::task::yield_now().await;
        }
        let outcome = run.await.expect("no panic").expect("the sandbox works");
        assert_eq!(outcome.value(), Some(json!(1)));
    }
}
