//! `Event`, `EventTarget`, `AbortController`, `AbortSignal`.
//!
//! Out flow the hooks that other APIs need, which stay within the prelude:
//! - `isAbortSignal(value) → boolean`, which nothing can forge
//! - `isAborted(signal) → boolean` and `abortReason(signal)`, which read the state itself, not the program's getters
//! - `addAbortAlgorithm(signal, run) → remove`: calls `run` once when the signal aborts, before its listeners; does nothing if
//!   it is aborted already. Calling `remove` once the work is done keeps the list of a long-lived signal short.
//!
//! **Invariant:** an error of a listener goes to `reportError` and stops neither the other listeners nor the caller.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result};

/// Installs the classes, and returns the hooks.
///
/// `set_timeout(callback, ms)` is the program's timer, `now()` gives milliseconds since the program's start, and
/// `report_error(error)` takes what a listener threw.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    set_timeout: Function<'js>,
    now: Function<'js>,
    report_error: Function<'js>,
) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("setTimeout", set_timeout)?;
    natives.set("now", now)?;
    natives.set("reportError", report_error)?;
    let events = evaluate(ctx, "abort/events", include_str!("events.js"))?;
    let events: Object = events.call((natives.clone(), primordials.clone()))?;
    natives.set("events", events)?;
    evaluate(ctx, "abort", include_str!("abort.js"))?.call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};
    use rquickjs::Function;

    #[test]
    fn signals_and_events_follow_the_standard() {
        with_context(|ctx, primordials| {
            ctx.eval::<(), _>("globalThis.timers = []; globalThis.errors = []")?;
            let set_timeout: Function = ctx.eval("(run, ms) => void timers.push({ run, ms })")?;
            let report: Function = ctx.eval("(error) => void errors.push(error)")?;
            let now = Function::new(ctx.clone(), || 12.5)?;
            let hooks = super::register(ctx, primordials, set_timeout, now, report)?;
            ctx.globals().set("hooks", hooks)?;
            run(ctx, "abort.test.js", include_str!("abort.test.js"))
        });
    }
}
