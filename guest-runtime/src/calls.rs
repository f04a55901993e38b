//! Calls that wait for an outcome.
//!
//! A call is a promise made by the engine itself, not by the `Promise` a program may have replaced, and one JSON text
//! made by the engine's own `JSON.stringify`.
//!
//! **Invariant:** ids count up from 1 without a gap; the host ends the run otherwise.

use crate::bindings::exports::pml::sandbox::program::Outcome;
use crate::bindings::pml::sandbox::mcp_call;
use crate::text;
use rquickjs::{
    Ctx, Error, Exception, Function, Persistent, Promise, Result, String as Text, Value,
};
use std::{cell::RefCell, collections::BTreeMap};

/// Longest `server:tool`. The host refuses less than this by its own rules; here a name is kept from being copied out.
const TOOL_LIMIT: usize = 1 << 10;

/// A waiting call: what to do with its outcome.
struct Waiting {
    tool: String,
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
}

#[derive(Default)]
struct Calls {
    last: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// `(tool, code, message, data) → error`, from the prelude.
    error: Option<Persistent<Function<'static>>>,
    arguments_limit: usize,
}

thread_local! {
    static CALLS: RefCell<Calls> = RefCell::default();
}

/// Takes the function that makes the errors of failed calls.
pub(crate) fn make_errors_with<'js>(ctx: &Ctx<'js>, error: Function<'js>) {
    let error = Persistent::save(ctx, error);
    CALLS.with_borrow_mut(|calls| calls.error = Some(error));
}

/// Sets how long the arguments of a call may be.
pub(crate) fn limit_arguments(bytes: usize) {
    CALLS.with_borrow_mut(|calls| calls.arguments_limit = bytes);
}

/// Puts a call in the host's queue and returns the promise of its outcome.
pub(crate) fn request<'js>(
    ctx: Ctx<'js>,
    tool: Text<'js>,
    arguments: Value<'js>,
) -> Result<Promise<'js>> {
    let tool = text::lossy(&tool);
    if tool.len() > TOOL_LIMIT {
        return Err(Exception::throw_type(&ctx, "the name of the tool is too long"));
    }
    let arguments = match ctx.json_stringify(arguments)? {
        Some(json) => text::json(&json),
        None => {
            return Err(Exception::throw_type(&ctx, "the arguments of a call must be an object"));
        }
    };
    let limit = CALLS.with_borrow(|calls| calls.arguments_limit);
    if arguments.len() > limit {
        let size = arguments.len();
        let message = format!("the arguments are {size} bytes of JSON, the limit is {limit}");
        let error = tool_error(&ctx, tool, "ARGUMENTS_SIZE".into(), message, None)?;
        return Err(ctx.throw(error));
    }
    let (promise, resolve, reject) = ctx.promise()?;
    let (resolve, reject) = (Persistent::save(&ctx, resolve), Persistent::save(&ctx, reject));
    CALLS.with_borrow_mut(|calls| {
        calls.last += 1;
        mcp_call::request(calls.last, &tool, &arguments);
        calls.waiting.insert(calls.last, Waiting { tool, resolve, reject });
    });
    Ok(promise)
}

/// Returns a promise that is rejected with `reason`: what a call that never leaves gives.
pub(crate) fn rejected<'js>(ctx: Ctx<'js>, reason: Value<'js>) -> Result<Promise<'js>> {
    let (promise, _, reject) = ctx.promise()?;
    reject.call::<_, ()>((reason,))?;
    Ok(promise)
}

/// The id of the call that was made last.
pub(crate) fn last() -> u64 {
    CALLS.with_borrow(|calls| calls.last)
}

/// Withdraws a call: its promise is rejected with `reason`, or stays pending for ever without one. A call that has its
/// outcome already is left alone.
pub(crate) fn cancel<'js>(ctx: Ctx<'js>, id: u64, reason: Option<Value<'js>>) -> Result<()> {
    let Some(waiting) = CALLS.with_borrow_mut(|calls| calls.waiting.remove(&id)) else {
        return Ok(());
    };
    mcp_call::cancel(id);
    match reason {
        Some(reason) => waiting.reject.restore(&ctx)?.call((reason,)),
        None => Ok(()),
    }
}

/// Settles a call. An outcome for a call that nobody waits for is dropped.
pub(crate) fn settle<'js>(ctx: &Ctx<'js>, id: u64, outcome: Outcome) -> Result<()> {
    let Some(waiting) = CALLS.with_borrow_mut(|calls| calls.waiting.remove(&id)) else {
        return Ok(());
    };
    match outcome {
        Outcome::Value(json) => {
            let value = ctx.json_parse(json)?;
            waiting.resolve.restore(ctx)?.call((value,))
        }
        Outcome::Error(cause) => {
            let data = cause.data.map(|data| ctx.json_parse(data)).transpose()?;
            let error = tool_error(ctx, waiting.tool, cause.code, cause.message, data)?;
            waiting.reject.restore(ctx)?.call((error,))
        }
    }
}

/// Makes what a program catches.
fn tool_error<'js>(
    ctx: &Ctx<'js>,
    tool: String,
    code: String,
    message: String,
    data: Option<Value<'js>>,
) -> Result<Value<'js>> {
    let maker = CALLS.with_borrow(|calls| calls.error.clone()).ok_or(Error::Unknown)?;
    maker.restore(ctx)?.call((tool, code, message, data))
}

/// Whether any call waits.
pub(crate) fn any() -> bool {
    CALLS.with_borrow(|calls| !calls.waiting.is_empty())
}
