//! The floor: the guest's own engine, built natively, with a fresh runtime and context for each
//! program.
//!
//! It is the same QuickJS as in the guest (`rquickjs-sys`), called through its C interface. There
//! is no isolation beyond the interpreter itself, no limit and no policy: a call is a Rust
//! function, its reply a call of a JavaScript one.

#![allow(unsafe_code, reason = "QuickJS is a C library")]

use rquickjs_sys as qjs;
use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_int, c_void};
use std::time::Instant;

const GUEST: &str = include_str!("guest.js");

/// A call that waits for its reply.
pub(crate) struct Request {
    pub(crate) id: i32,
    pub(crate) arguments: String,
    pub(crate) at: Instant,
}

/// What the two functions that JavaScript calls write to.
#[derive(Default)]
struct Host {
    requests: VecDeque<Request>,
    done: Option<Result<String, String>>,
}

/// A program that has been started.
pub(crate) struct Native {
    runtime: *mut qjs::JSRuntime,
    context: *mut qjs::JSContext,
    settle: qjs::JSValue,
    /// Owned; the context points to it.
    host: *mut Host,
}

impl Native {
    /// Makes a runtime and a context with the prelude, and starts the program, a function body.
    pub(crate) fn start(source: &str) -> Native {
        // SAFETY: the pointers stay valid until `drop`, which frees them in the reverse order.
        let native = unsafe {
            let runtime = qjs::JS_NewRuntime();
            let context = qjs::JS_NewContext(runtime);
            let host = Box::into_raw(Box::<Host>::default());
            qjs::JS_SetContextOpaque(context, host.cast::<c_void>());
            let global = qjs::JS_GetGlobalObject(context);
            define(context, global, c"__request", request);
            define(context, global, c"__done", done);
            evaluate(context, GUEST);
            let settle = qjs::JS_GetPropertyStr(context, global, c"__settle".as_ptr());
            qjs::JS_FreeValue(context, global);
            Native { runtime, context, settle, host }
        };
        evaluate(native.context, &format!("__run(async () => {{{source}\n}});0"));
        native.turn();
        native
    }

    /// Takes the next call.
    pub(crate) fn next(&self) -> Option<Request> {
        // SAFETY: JavaScript does not run now, so nothing else holds the host.
        unsafe { &mut *self.host }.requests.pop_front()
    }

    /// Gives a call its reply, one JSON text.
    pub(crate) fn settle(&self, id: i32, json: &str) {
        // SAFETY: the arguments live until the call returns; the two values made here are freed
        // here.
        unsafe {
            let text = qjs::JS_NewStringLen(self.context, json.as_ptr().cast(), json.len() as _);
            let mut arguments =
                [qjs::JS_MKVAL(qjs::JS_TAG_INT, id), qjs::JS_MKVAL(qjs::JS_TAG_BOOL, 1), text];
            let argc = arguments.len() as c_int;
            let answer = qjs::JS_Call(
                self.context,
                self.settle,
                qjs::JS_UNDEFINED,
                argc,
                arguments.as_mut_ptr(),
            );
            assert!(!qjs::JS_IsException(answer), "settling a call failed");
            qjs::JS_FreeValue(self.context, answer);
            qjs::JS_FreeValue(self.context, text);
        }
        self.turn();
    }

    /// The result, one JSON text.
    pub(crate) fn value(&self) -> String {
        // SAFETY: as in `next`.
        let done = unsafe { &*self.host }.done.clone();
        done.expect("the program has finished").expect("the program returned")
    }

    /// Runs a program whose calls are all echoed, to its result.
    pub(crate) fn run(source: &str) -> String {
        let native = Native::start(source);
        while let Some(request) = native.next() {
            native.settle(request.id, &request.arguments);
        }
        native.value()
    }

    fn turn(&self) {
        let mut context = self.context;
        // SAFETY: the runtime lives, and `context` is only written to.
        unsafe { while qjs::JS_ExecutePendingJob(self.runtime, &mut context) > 0 {} }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: all four were made by `start`, and nothing uses them after this.
        unsafe {
            qjs::JS_FreeValue(self.context, self.settle);
            qjs::JS_FreeContext(self.context);
            qjs::JS_FreeRuntime(self.runtime);
            drop(Box::from_raw(self.host));
        }
    }
}

type Callback = unsafe extern "C" fn(
    *mut qjs::JSContext,
    qjs::JSValue,
    c_int,
    *mut qjs::JSValue,
) -> qjs::JSValue;

/// # Safety
/// `context` and `global` must be alive.
unsafe fn define(
    context: *mut qjs::JSContext,
    global: qjs::JSValue,
    name: &CStr,
    callback: Callback,
) {
    // SAFETY: the function value is owned by the property once it is set.
    unsafe {
        let kind = qjs::JSCFunctionEnum_JS_CFUNC_generic;
        let function = qjs::JS_NewCFunction2(context, Some(callback), name.as_ptr(), 0, kind, 0);
        qjs::JS_SetPropertyStr(context, global, name.as_ptr(), function);
    }
}

fn evaluate(context: *mut qjs::JSContext, source: &str) {
    let text = CString::new(source).expect("programs here hold no zero byte");
    let flags = qjs::JS_EVAL_TYPE_GLOBAL as c_int;
    // SAFETY: QuickJS wants a zero after the text, which `CString` has; both live until the call
    // returns.
    unsafe {
        let value =
            qjs::JS_Eval(context, text.as_ptr(), source.len() as _, c"program.js".as_ptr(), flags);
        if qjs::JS_IsException(value) {
            panic!("{}", text_of(context, qjs::JS_GetException(context)));
        }
        qjs::JS_FreeValue(context, value);
    }
}

/// # Safety
/// `context` and `value` must be alive.
unsafe fn text_of(context: *mut qjs::JSContext, value: qjs::JSValue) -> String {
    let mut length = 0;
    // SAFETY: QuickJS gives back `length` bytes that live until they are freed.
    unsafe {
        let text = qjs::JS_ToCStringLen2(context, &mut length, value, false);
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        let owned = String::from_utf8_lossy(bytes).into_owned();
        qjs::JS_FreeCString(context, text);
        owned
    }
}

/// `__request(id, tool, json)`
unsafe extern "C" fn request(
    context: *mut qjs::JSContext,
    _this: qjs::JSValue,
    _argc: c_int,
    argv: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: the prelude passes three arguments, and the context's host lives as long as the
    // context.
    unsafe {
        let host = qjs::JS_GetContextOpaque(context).cast::<Host>();
        let id = qjs::JS_VALUE_GET_INT(*argv);
        let _tool = text_of(context, *argv.add(1));
        let arguments = text_of(context, *argv.add(2));
        (*host).requests.push_back(Request { id, arguments, at: now() });
        qjs::JS_UNDEFINED
    }
}

/// `__done(ok, json)`
unsafe extern "C" fn done(
    context: *mut qjs::JSContext,
    _this: qjs::JSValue,
    _argc: c_int,
    argv: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: as in `request`, with two arguments.
    unsafe {
        let host = qjs::JS_GetContextOpaque(context).cast::<Host>();
        let text = text_of(context, *argv.add(1));
        (*host).done = Some(if qjs::JS_VALUE_GET_BOOL(*argv) { Ok(text) } else { Err(text) });
        qjs::JS_UNDEFINED
    }
}

fn now() -> Instant {
    #[allow(clippy::disallowed_methods, reason = "measures a span")]
    Instant::now()
}
