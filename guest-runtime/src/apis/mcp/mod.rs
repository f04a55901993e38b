//! `mcp`: the calls of a program. The JavaScript makes names into tools, [`calls`] makes tools into requests.

use super::primordials::evaluate;
use crate::calls;
use rquickjs::{Ctx, Function, Object, Result, function::Opt};

/// Installs `mcp`. `abort` holds the hooks of `apis/abort` that tie a call to an `AbortSignal`.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    abort: Object<'js>,
) -> Result<()> {
    let natives = natives(ctx)?;
    let mcp = evaluate(ctx, "mcp", include_str!("mcp.js"))?;
    calls::make_errors_with(ctx, mcp.call((natives, primordials.clone(), abort))?);
    Ok(())
}

/// The functions that make and withdraw calls.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("request", Function::new(ctx.clone(), calls::request)?)?;
    natives.set("rejected", Function::new(ctx.clone(), calls::rejected)?)?;
    natives.set("last", Function::new(ctx.clone(), || calls::last() as f64)?)?;
    natives.set(
        "cancel",
        Function::new(ctx.clone(), |ctx, id: f64, reason: Opt<_>| {
            calls::cancel(ctx, id as u64, reason.0)
        })?,
    )?;
    Ok(natives)
}
