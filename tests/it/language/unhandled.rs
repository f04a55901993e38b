//! Errors that nobody handles fail a run, whatever it returns.

use pml::json::json;
use pml::{Engine, Failure};
use pml_kit::sandbox::{engine, run, value};

fn any() -> Engine {
    engine(|config| config)
}

async fn failure(program: &str) -> Failure {
    let outcome = run(&any(), program).await;
    assert_eq!(outcome.json(), None, "{program}");
    outcome.failure().unwrap_or_else(|| panic!("{program}")).clone()
}

#[tokio::test]
async fn a_rejection_that_nobody_handles_fails_the_run() {
    let program = "console.log('seen');\nPromise.reject(new TypeError('lost'));\nreturn 1";
    let outcome = run(&any(), program).await;
    assert_eq!(outcome.value(), None);
    assert_eq!(outcome.console.len(), 1);
    assert_eq!(outcome.unhandled, []);
    let failure = outcome.failure().expect("it failed");
    assert_eq!(failure.code.as_str(), "UNHANDLED_REJECTION");
    assert_eq!((failure.name.as_str(), failure.message.as_str()), ("TypeError", "lost"));
    assert_eq!(failure.position.as_ref().map(|at| (at.line, at.column)), Some((2, 16)));
    let hint = failure.hint.as_deref().expect("a hint");
    assert!(hint.contains("`await` it") && hint.contains("`.catch(…)`"), "{hint}");
}

#[tokio::test]
async fn a_rejection_that_is_handled_before_the_end_is_none() {
    let engine = any();
    for handled in [
        "const late = Promise.reject(1); await mcp.t.echo({}); late.catch(() => {}); return 1",
        "const late = mcp.t.fail({}); await mcp.t.later({}); await mcp.t.later({});
         try { await late } catch {} return 1",
        "Promise.reject(1).catch(() => {}); return 1",
        "await Promise.allSettled([mcp.t.fail({}), mcp.t.fail({})]); return 1",
        "await Promise.all([mcp.t.fail({}), mcp.t.fail({})]).catch(() => {}); return 1",
        "Promise.race([mcp.t.echo({}), mcp.t.fail({})]); await mcp.pml.sleep({ ms: 1 }); return 1",
    ] {
        assert_eq!(value(&engine, handled).await, json!(1), "{handled}");
    }
}

#[tokio::test]
async fn a_failed_call_that_nobody_waits_for_keeps_its_code() {
    let program = "const call = mcp.t.fail({ a: 1 }); call.then(() => {});
        await call.catch(() => {}); return 1";
    let failure = failure(program).await;
    assert_eq!(failure.code.as_str(), "UNHANDLED_REJECTION");
    assert_eq!(failure.error_code.as_deref(), Some("TOOL_FAILED"));
}

#[tokio::test]
async fn what_a_callback_throws_fails_the_run() {
    for program in [
        "setTimeout(() => { throw new Error('oops') }, 0); await mcp.pml.sleep({ ms: 5 }); return 1",
        "const every = setInterval(() => { clearInterval(every); throw new Error('oops') }, 1);
         await mcp.pml.sleep({ ms: 5 }); return 1",
        "queueMicrotask(() => { throw new Error('oops') }); await 0; return 1",
        "const target = new EventTarget(); target.addEventListener('x', () => { throw new Error('oops') });
         target.dispatchEvent(new Event('x')); return 1",
    ] {
        let failure = failure(program).await;
        let told = (failure.code.as_str(), failure.message.as_str());
        assert_eq!(told, ("THREW", "oops"), "{program}");
        assert_eq!(failure.position.as_ref().map(|at| at.line), Some(1), "{program}");
    }
}

#[tokio::test]
async fn a_callback_that_throws_is_why_a_program_waits_for_ever() {
    let waits =
        "await new Promise((done) => setTimeout(() => { throw new Error('oops'); done() }, 1))";
    let told = failure(waits).await;
    assert_eq!((told.code.as_str(), told.message.as_str()), ("THREW", "oops"));
}

#[tokio::test]
async fn the_first_error_is_the_failure_and_the_others_are_listed() {
    let outcome = run(&any(), "for (let i = 0; i < 50; i++) Promise.reject(i); return 1").await;
    assert_eq!(outcome.failure().expect("it failed").message, "0");
    assert_eq!(outcome.unhandled.len(), 20);
    assert_eq!(outcome.unhandled[0].message, "1");
    assert!(outcome.unhandled[19].message.contains("30 more"));
}

#[tokio::test]
async fn a_program_that_fails_by_itself_says_its_own_reason() {
    let outcome = run(&any(), "Promise.reject(new Error('lost')); throw new Error('own')").await;
    assert_eq!(outcome.failure().expect("it failed").message, "own");
    assert_eq!(outcome.unhandled[0].message, "lost");
}
