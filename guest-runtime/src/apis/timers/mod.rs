//! Timers: each is a call of the built-in tool `pml:sleep`.

use super::{mcp, primordials::evaluate};
use rquickjs::{Ctx, Object, Result};

/// Installs the timer functions.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<()> {
    evaluate(ctx, "timers", include_str!("timers.js"))?
        .call((mcp::natives(ctx)?, primordials.clone()))
}
