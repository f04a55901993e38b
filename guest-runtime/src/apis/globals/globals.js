// What `globalThis` holds before our own APIs come: the language, and nothing else.
//
// Left out of the language: `SharedArrayBuffer` and `Atomics` (there is one thread, and `Atomics.wait` would block it),
// `WeakRef` and `FinalizationRegistry` (they show when garbage is collected, which a replay need not repeat).
(function (natives, primordials) {
  "use strict";
  const { ReflectApply, ReflectOwnKeys, TypeError, defineGlobal } = primordials;
  const { reportError } = natives;
  const LANGUAGE =
    " globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI " +
    "encodeURIComponent escape unescape AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView " +
    "Date Error EvalError Float16Array Float32Array Float64Array Function Int8Array Int16Array Int32Array Iterator Map Number Object " +
    "Promise Proxy RangeError ReferenceError RegExp Set String SuppressedError DisposableStack AsyncDisposableStack Symbol " +
    "SyntaxError TypeError Uint8Array Uint8ClampedArray Uint16Array Uint32Array URIError WeakMap WeakSet JSON Math Reflect " +
    "queueMicrotask DOMException ";
  const names = ReflectOwnKeys(globalThis);
  for (let index = 0; index < names.length; index++)
    if (typeof names[index] === "string" && !LANGUAGE.includes(" " + names[index] + " ")) delete globalThis[names[index]];

  // `Error.prepareStackTrace` shows the functions on the stack, those of the prelude with them; names and places are enough.
  Error.prepareStackTrace = (error, sites) => delete Object.getPrototypeOf(sites[0]).getFunction;
  new Error();
  Error.prepareStackTrace = undefined;

  const enqueue = globalThis.queueMicrotask;
  const globals = {
    // The engine's own drops what the callback throws.
    queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("the callback must be a function");
      enqueue(() => {
        try {
          ReflectApply(callback, undefined, []);
        } catch (error) {
          reportError(error);
        }
      });
    },
  };
  defineGlobal("queueMicrotask", globals.queueMicrotask);
})
