//! Timers: each is a call of the built-in tool `pml:sleep`.

use super::{mcp, primordials::evaluate};
use rquickjs::{Ctx, Function, Object, Result};

/// Installs the timer functions. `report_error(error)` takes what a callback threw.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    report_error: Function<'js>,
) -> Result<()> {
    let natives = mcp::natives(ctx)?;
    natives.set("reportError", report_error)?;
    evaluate(ctx, "timers", include_str!("timers.js"))?.call((natives, primordials.clone()))
}
