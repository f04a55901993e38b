//! `structuredClone`.
//!
//! A transferred buffer is copied and the original detached, which a program cannot tell from a move.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result, Value, qjs};
use std::ffi::c_void;

/// What a view keeps, as QuickJS lays it out (`JSTypedArray` in `quickjs.c`). The version of QuickJS is pinned, and the tests
/// fail if it changes.
#[repr(C)]
struct ViewData {
    link: [*mut c_void; 2],
    object: *mut c_void,
    buffer: *mut c_void,
    offset: u32,
    length: u32,
    tracks_length: bool,
}

/// Installs `structuredClone`.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    natives.set("extentOf", Function::new(ctx.clone(), extent_of)?)?;
    evaluate(ctx, "clone", include_str!("clone.js"))?.call((natives, primordials.clone()))
}

/// Returns whether a view follows the length of its buffer, its offset, and its length in bytes when it was made. The getters
/// of a view tell the last two only while it is in bounds, and the first nowhere. Only for typed arrays and `DataView`s.
fn extent_of(view: Value<'_>) -> Vec<u32> {
    // SAFETY: the value is a live view, for which the engine keeps this structure.
    let data = unsafe {
        let class = qjs::JS_GetClassID(view.as_raw());
        qjs::JS_GetOpaque(view.as_raw(), class).cast::<ViewData>().as_ref()
    };
    data.map(|data| vec![data.tracks_length.into(), data.offset, data.length]).unwrap_or_default()
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
