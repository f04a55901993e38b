//! Errors that nobody has handled: rejected promises without a handler, and what callbacks threw.

use crate::bindings::exports::pml::sandbox::program::{Failure, FailureKind};
use crate::{config::UNHANDLED_KEPT, error};
use rquickjs::{Ctx, Persistent, Value};
use std::cell::RefCell;

struct Unhandled {
    promise: Option<Persistent<Value<'static>>>,
    reason: Persistent<Value<'static>>,
}

thread_local! {
    static UNHANDLED: RefCell<Vec<Unhandled>> = const { RefCell::new(Vec::new()) };
}

/// Notes what a callback threw.
pub(crate) fn report<'js>(ctx: Ctx<'js>, reason: Value<'js>) {
    note(Unhandled { promise: None, reason: Persistent::save(&ctx, reason) });
}

/// Follows the engine's word on a rejected promise: it has no handler, or it got one after all.
pub(crate) fn track<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, is_handled: bool) {
    if !is_handled {
        let promise = Some(Persistent::save(&ctx, promise));
        return note(Unhandled { promise, reason: Persistent::save(&ctx, reason) });
    }
    UNHANDLED.with_borrow_mut(|all| all.retain(|one| !is(&ctx, one, &promise)));
}

/// Takes all that is unhandled now, except the rejection of `result`, which the host looks at.
pub(crate) fn take<'js>(ctx: &Ctx<'js>, result: Option<&Value<'js>>) -> Vec<Failure> {
    let all = UNHANDLED.take();
    let others = all.into_iter().filter(|one| result.is_none_or(|result| !is(ctx, one, result)));
    let mut others = others.filter_map(|one| {
        let kind = one.promise.as_ref().map(|_| FailureKind::UnhandledRejection);
        Some((kind, one.reason.restore(ctx).ok()?))
    });
    let shown = others.by_ref().take(UNHANDLED_KEPT);
    let mut failures: Vec<_> = shown
        .map(|(kind, reason)| {
            let failure = error::failure(ctx, &reason);
            match (kind, failure.kind) {
                (Some(kind), FailureKind::Threw) => Failure { kind, ..failure },
                _ => failure,
            }
        })
        .collect();
    let more = others.count();
    if more > 0 {
        failures.push(error::own(FailureKind::Threw, format!("… and {more} more")));
    }
    failures
}

fn note(one: Unhandled) {
    UNHANDLED.with_borrow_mut(|all| all.push(one));
}

fn is<'js>(ctx: &Ctx<'js>, one: &Unhandled, promise: &Value<'js>) -> bool {
    let known = one.promise.clone().and_then(|known| known.restore(ctx).ok());
    known.as_ref() == Some(promise)
}
