//! `structuredClone`.
//!
//! A transferred buffer is copied and the original detached, which a program cannot tell from a move.

use super::primordials::evaluate;
use rquickjs::{Ctx, Object, Result};

/// Installs `structuredClone`.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    evaluate(ctx, "clone", include_str!("clone.js"))?.call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};

    #[test]
    fn clones_are_equal_and_apart() {
        with_context(|ctx, primordials| {
            crate::apis::url::register(ctx, primordials)?;
            super::register(ctx, primordials)?;
            run(ctx, "clone.test.js", include_str!("clone.test.js"))
        });
    }
}
