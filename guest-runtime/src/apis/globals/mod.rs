//! The global object: trimmed to the language, with a `queueMicrotask` that loses no error.
//!
//! **Invariant:** runs before the other APIs install theirs: what is not on its list is removed.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result};

/// Trims the global object. `report_error(error)` takes what a microtask threw.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    report_error: Function<'js>,
) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    natives.set("reportError", report_error)?;
    evaluate(ctx, "globals", include_str!("globals.js"))?.call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};
    use rquickjs::Function;

    #[test]
    fn the_global_object_holds_the_language_alone() {
        with_context(|ctx, primordials| {
            ctx.eval::<(), _>("globalThis.errors = []; globalThis.leftover = 1")?;
            let report: Function =
                ctx.eval("((errors) => (error) => void errors.push(error))(errors)")?;
            let errors: rquickjs::Value = ctx.globals().get("errors")?;
            super::register(ctx, primordials, report)?;
            ctx.globals().set("errors", errors)?;
            run(ctx, "globals.test.js", include_str!("globals.test.js"))
        });
    }
}
