//! Prelude source to function, by way of bytecode that has lost its source text.
//!
//! Compiling, writing and reading back happens once, at build time; what stays in the image is smaller, and
//! `Function.prototype.toString` has nothing to show. File name and line numbers are kept, so that the host can tell our
//! frames from the program's.

use rquickjs::{Ctx, Error, Function, Result, Value, qjs};
use std::ffi::CString;

/// Evaluates a file of the prelude, which is one function expression. Its frames show as `pml:name`.
pub(crate) fn evaluate<'js>(ctx: &Ctx<'js>, name: &str, source: &str) -> Result<Function<'js>> {
    let file = CString::new(format!("pml:{name}"))?;
    let length = source.len();
    let source = CString::new(source)?;
    let raw = ctx.as_raw().as_ptr();
    let flags =
        qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    // SAFETY: the context is live, both strings end in NUL and outlive the call; `checked` takes over the result.
    let compiled = unsafe {
        checked(ctx, qjs::JS_Eval(raw, source.as_ptr(), length as _, file.as_ptr(), flags as i32))?
    };
    let flags = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE;
    let mut size = 0;
    // SAFETY: `compiled` is live; the buffer that comes back belongs to us until `js_free`.
    let bytes = unsafe { qjs::JS_WriteObject(raw, &mut size, compiled.as_raw(), flags as i32) };
    if bytes.is_null() {
        return Err(Error::Exception);
    }
    // SAFETY: the bytes were written by this very engine just now; reading copies what it keeps.
    // `JS_EvalFunction` takes ownership of the function that `JS_ReadObject` gives.
    let value = unsafe {
        let script = qjs::JS_ReadObject(raw, bytes, size, qjs::JS_READ_OBJ_BYTECODE as i32);
        qjs::js_free(raw, bytes.cast());
        if qjs::JS_IsException(script) {
            return Err(Error::Exception);
        }
        checked(ctx, qjs::JS_EvalFunction(raw, script))?
    };
    value.into_function().ok_or(Error::Unknown)
}

/// Takes ownership of a raw value, unless it stands for an exception.
///
/// # Safety
/// `raw` must be an owned value of this context.
unsafe fn checked<'js>(ctx: &Ctx<'js>, raw: qjs::JSValue) -> Result<Value<'js>> {
    // SAFETY: as the caller promises.
    unsafe {
        if qjs::JS_IsException(raw) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), raw))
    }
}
