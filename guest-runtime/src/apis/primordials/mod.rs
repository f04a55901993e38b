//! The language as the prelude uses it: captured before any program runs, and handed to every other API.
//!
//! Out flows one object that only the prelude holds. `evaluate` is how all prelude code enters the engine.
//!
//! **Invariant:** nothing here is reachable from `globalThis`, and the source text of the prelude stays out of the image:
//! functions of the prelude read `[native code]`, like the engine's own.

mod compile;
mod map_iterator;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use compile::evaluate;

use rquickjs::{Ctx, Function, Object, Promise, Result, Value, promise::PromiseState, qjs};

/// Captures the primordials. Called first, once.
pub(crate) fn register<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("classOf", Function::new(ctx.clone(), class_of)?)?;
    natives.set("proxyTarget", Function::new(ctx.clone(), proxy_target)?)?;
    natives.set("promiseState", Function::new(ctx.clone(), promise_state)?)?;
    natives.set("copyIterator", Function::new(ctx.clone(), map_iterator::copy)?)?;
    // Only sloppy code makes this kind of object, and the prelude is strict.
    let sloppy: Value = ctx.eval_with_options("(function () { return arguments })()", sloppy())?;
    natives.set("sloppyArguments", sloppy)?;
    evaluate(ctx, "primordials", include_str!("primordials.js"))?.call((natives,))
}

fn sloppy() -> rquickjs::context::EvalOptions {
    let mut options = rquickjs::context::EvalOptions::default();
    options.strict = false;
    options
}

/// The engine's number for the kind of object this is; 0 for primitives.
pub(super) fn class_of(value: Value<'_>) -> u32 {
    // SAFETY: reads a tag and a field of a live value, and takes no ownership.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// The target of a proxy without running its traps; `null` if it was revoked, `undefined` if this is no proxy.
fn proxy_target<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Value<'js> {
    if !value.is_proxy() {
        return Value::new_undefined(ctx);
    }
    // SAFETY: the value is a live proxy, and the target that comes back is ours. `Value::as_proxy` would not do: it does not
    // know proxies of functions.
    unsafe {
        let target = qjs::JS_GetProxyTarget(ctx.as_raw().as_ptr(), value.as_raw());
        if qjs::JS_IsException(target) {
            // A revoked proxy throws; that exception is the answer, not an error.
            ctx.catch();
            return Value::new_null(ctx);
        }
        Value::from_raw(ctx, target)
    }
}

/// `undefined` while the promise waits, else `[fulfilled, value]`.
fn promise_state<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Value<'js>> {
    let state = promise.state();
    let settled = match promise.result::<Value>() {
        None => return Ok(Value::new_undefined(ctx)),
        Some(Ok(value)) => value,
        Some(Err(_)) => ctx.catch(),
    };
    let pair = rquickjs::Array::new(ctx)?;
    pair.set(0, matches!(state, PromiseState::Resolved))?;
    pair.set(1, settled)?;
    Ok(pair.into_value())
}
