//! `performance.now` and `performance.timeOrigin`, on the program's clock, which stands still within a step.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result};

/// Installs `performance`.
///
/// `now()` gives milliseconds since the program's start and becomes `performance.now` itself; `time_origin()` gives that start
/// as milliseconds since 1970.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    now: Function<'js>,
    time_origin: Function<'js>,
) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    natives.set("now", now)?;
    natives.set("timeOrigin", time_origin)?;
    evaluate(ctx, "performance", include_str!("performance.js"))?
        .call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};
    use rquickjs::Function;

    #[test]
    fn the_clock_is_the_programs() {
        with_context(|ctx, primordials| {
            let now = Function::new(ctx.clone(), || 1.5)?;
            let origin = Function::new(ctx.clone(), || 1000.0)?;
            super::register(ctx, primordials, now, origin)?;
            run(ctx, "performance.test.js", include_str!("performance.test.js"))
        });
    }
}
