//! What programs see. Each folder holds one API: its JavaScript, and a `register` that installs it.
//!
//! **Invariant:** the JavaScript here runs before any of the program's and keeps what it needs of the language in
//! variables of its own, so that a program which replaces `Promise`, `JSON` or `Object.prototype` harms only itself.

mod entry;
mod mcp;
mod timers;

use rquickjs::{Ctx, Function, Object, Result, context::EvalOptions};

/// Installs everything, and returns the way into a program.
pub(crate) fn register<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    timers::register(ctx)?;
    mcp::register(ctx, Object::new(ctx.clone())?)?;
    entry::register(ctx)
}

/// Evaluates the one function expression in `source`. Stack traces show the file as `pml:name`.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(format!("pml:{name}"));
    ctx.eval_with_options(source, options)
}
