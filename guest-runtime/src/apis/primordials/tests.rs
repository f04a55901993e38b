//! What the tests of all APIs share: a context like the guest's, and a runner for `*.test.js` files.

use crate::config::Intrinsics;
use rquickjs::{CatchResultExt, Context, Ctx, Function, Object, Runtime};

const ASSERTIONS: &str = include_str!("assertions.js");

/// Runs `work` in a fresh context that has primordials, and fails with the JavaScript error if there is one.
pub(crate) fn with_context(
    work: impl for<'js> FnOnce(&Ctx<'js>, &Object<'js>) -> rquickjs::Result<()>,
) {
    let runtime = Runtime::new().unwrap();
    runtime.set_max_stack_size(512 << 10);
    let context = Context::custom::<Intrinsics>(&runtime).unwrap();
    context.with(|ctx| {
        let result = super::register(&ctx).and_then(|primordials| work(&ctx, &primordials));
        if let Err(error) = result.catch(&ctx) {
            panic!("{error}");
        }
    });
}

/// Runs a test file: each `test(name, body)` in it must pass, and its pending jobs with it.
pub(crate) fn run(ctx: &Ctx<'_>, name: &str, source: &str) -> rquickjs::Result<()> {
    let mut options = rquickjs::context::EvalOptions::default();
    options.filename = Some(name.to_owned());
    options.strict = false;
    let report: Function = ctx.eval(ASSERTIONS)?;
    ctx.eval_with_options::<(), _>(source, options)?;
    while ctx.execute_pending_job() {}
    let failures: Vec<String> = report.call(())?;
    assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
    Ok(())
}

#[test]
fn primordials_survive_a_hostile_program() {
    with_context(|ctx, primordials| {
        ctx.globals().set("primordials", primordials.clone())?;
        run(ctx, "primordials.test.js", include_str!("primordials.test.js"))
    });
}
