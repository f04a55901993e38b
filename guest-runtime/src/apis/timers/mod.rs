//! Timers: each is a call of the built-in tool `pml:sleep`.

use crate::apis::{install, mcp};
use rquickjs::{Ctx, Result};

/// Installs the timer functions.
pub(crate) fn register(ctx: &Ctx<'_>) -> Result<()> {
    install(ctx, "timers", include_str!("timers.js"))?.call((mcp::natives(ctx)?,))
}
