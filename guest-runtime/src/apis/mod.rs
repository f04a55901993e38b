//! What programs see. Each folder holds one API: its JavaScript, and a `register` that installs it.
//!
//! **Invariant:** the JavaScript here runs before any of the program's and works on [`primordials`], so that a program
//! which replaces `Promise`, `JSON` or `Object.prototype` harms only itself.

mod abort;
mod clone;
mod console;
mod crypto;
mod encoding;
pub(crate) mod entry;
mod globals;
mod mcp;
mod performance;
mod primordials;
mod timers;
mod url;

use crate::bindings::pml::sandbox::mcp_call::Level;
use crate::{clock, random, unhandled};
use rquickjs::{ArrayBuffer, Ctx, Function, Object, Result};

/// Installs everything, and returns the way into a program: see [`entry::register`].
pub(crate) fn register<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let primordials = &primordials::register(ctx)?;
    let report = Function::new(ctx.clone(), unhandled::report)?;
    let now = Function::new(ctx.clone(), || milliseconds(clock::now() - clock::origin()))?;
    globals::register(ctx, primordials, report.clone())?;
    timers::register(ctx, primordials, report.clone())?;
    console::register(ctx, primordials, print, now.clone())?;
    encoding::register(ctx, primordials)?;
    url::register(ctx, primordials)?;
    clone::register(ctx, primordials)?;
    let set_timeout = ctx.globals().get("setTimeout")?;
    let abort = abort::register(ctx, primordials, set_timeout, now.clone(), report)?;
    let (bytes, float) =
        (Function::new(ctx.clone(), bytes)?, Function::new(ctx.clone(), random::float)?);
    crypto::register(ctx, primordials, bytes, float)?;
    let origin = Function::new(ctx.clone(), || milliseconds(clock::origin()))?;
    performance::register(ctx, primordials, now, origin)?;
    mcp::register(ctx, primordials, abort)?;
    entry::register(ctx, primordials)
}

fn milliseconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1e3
}

fn print(level: u32, text: String) {
    let level = match level {
        0 => Level::Debug,
        1 => Level::Log,
        2 => Level::Warn,
        _ => Level::Error,
    };
    crate::console::print(level, text);
}

fn bytes(ctx: Ctx<'_>, length: usize) -> Result<ArrayBuffer<'_>> {
    let mut bytes = vec![0; length];
    random::fill(&mut bytes);
    ArrayBuffer::new(ctx, bytes)
}
