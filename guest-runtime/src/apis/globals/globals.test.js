test("what is gone", () => {
  for (const name of ["SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry", "leftover", "gc", "print", "scriptArgs", "navigator", "performance", "self", "std", "os", "bjson", "InternalError"])
    equal(name in globalThis, false, name);
});
test("what stays", () => {
  for (const name of ["Array", "BigInt", "Iterator", "Float16Array", "DOMException", "queueMicrotask", "globalThis", "eval", "escape"])
    equal(name in globalThis, true, name);
  equal(typeof Error.captureStackTrace, "function");
  equal("stackTraceLimit" in Error, true);
  equal(Object.prototype.toString.call(globalThis), "[object global]");
  same(Object.keys(globalThis).filter((name) => name !== "errors"), []);
});
test("microtasks run in order, and their errors are reported", async () => {
  const log = [];
  queueMicrotask(() => log.push("a"));
  Promise.resolve().then(() => log.push("b"));
  queueMicrotask(() => { throw "oops"; });
  queueMicrotask(function () { log.push(this === undefined || this === globalThis, arguments.length); });
  log.push("first");
  await 0; await 0;
  same(log, ["first", "a", "b", true, 0]);
  same(errors, ["oops"]);
  throws(() => queueMicrotask(1), "TypeError");
  same([queueMicrotask.name, queueMicrotask.length], ["queueMicrotask", 1]);
});
test("stack frames give away no function", () => {
  let sites;
  Error.prepareStackTrace = (_, frames) => (sites = frames);
  new Error().stack;
  Error.prepareStackTrace = undefined;
  equal(sites.length > 0, true);
  equal("getFunction" in sites[0], false);
  equal(typeof sites[0].getLineNumber(), "number");
});
