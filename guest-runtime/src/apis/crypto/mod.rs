//! `crypto.randomUUID`, `crypto.getRandomValues` and `Math.random`, all on the run's own generator.
//!
//! **Invariant:** nothing is drawn while the prelude is built: the generator has no seed yet.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result};

/// Installs `crypto` and replaces `Math.random`.
///
/// `random(n)` gives an `ArrayBuffer` of `n` bytes, `random_float()` a number in `[0, 1)` with 53 bits. The latter becomes
/// `Math.random` itself.
pub(crate) fn register<'js>(
    ctx: &Ctx<'js>,
    primordials: &Object<'js>,
    random: Function<'js>,
    random_float: Function<'js>,
) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    natives.set("random", random)?;
    natives.set("randomFloat", random_float)?;
    evaluate(ctx, "crypto", include_str!("crypto.js"))?.call((natives, primordials.clone()))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::{run, with_context};
    use rquickjs::{ArrayBuffer, Ctx, Function};

    fn bytes<'js>(ctx: Ctx<'js>, length: usize) -> rquickjs::Result<ArrayBuffer<'js>> {
        ArrayBuffer::new_copy(ctx, vec![0xFFu8; length])
    }

    #[test]
    fn numbers_come_from_the_run() {
        with_context(|ctx, primordials| {
            let random = Function::new(ctx.clone(), bytes)?;
            let float = Function::new(ctx.clone(), || 0.25)?;
            super::register(ctx, primordials, random, float)?;
            run(ctx, "crypto.test.js", include_str!("crypto.test.js"))
        });
    }
}
