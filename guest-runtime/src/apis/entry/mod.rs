//! The way into a program, from the modules to the promise of its result.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Result};

/// Returns the function `(namespace, inputs, evaluated) → promise of the result`.
pub(crate) fn register<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    evaluate(ctx, "entry", include_str!("entry.js"))?.call(())
}
