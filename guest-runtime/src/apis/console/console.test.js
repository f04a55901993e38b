// Levels, groups, counters and clocks; and values that try to get in the way.
const line = (...args) => {
  console.log(...args);
  return written().join("\n").slice(2);
};
test("levels", () => {
  console.debug("a"); console.log("b"); console.info("c"); console.warn("d"); console.error("e"); console.assert(false, "f");
  console.assert(true, "g");
  same(written(), ["0 a", "1 b", "1 c", "2 d", "3 e", "3 Assertion failed: f"]);
});
test("groups", () => {
  console.group("g"); console.log("a\nb"); console.groupCollapsed("h"); console.log("c"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d");
  same(written(), ["1 g", "1   a\n  b", "1   h", "1     c", "1 d"]);
});
test("counts and clocks", () => {
  console.count(); console.count(); console.countReset(); console.count(); console.countReset("x"); console.time(); console.timeLog("default", 1); console.timeEnd(); console.timeEnd();
  same(written(), ["1 default: 1", "1 default: 2", "1 default: 1", "2 Warning: Count for 'x' does not exist", "1 default: 0ms 1", "1 default: 0ms", "2 Warning: No such label 'default' for console.timeEnd()"]);
});
test("traces hide the prelude", () => {
  console.trace("here");
  const [text] = written();
  equal(text.startsWith("0 Trace: here\n    at "), true, text);
  equal(text.includes("pml:"), false);
});
test("errors show frames of the program only", () => {
  const text = line(new Error("x"));
  equal(text.startsWith("Error: x\n    at "), true, text);
  equal(text.includes("console.test.js"), true);
});
test("errors with a name of their own", () => {
  class ValidationError extends Error { name = "ValidationError"; field = "a"; }
  const text = line(new ValidationError("bad"));
  equal(text.startsWith("ValidationError: bad\n    at "), true, text);
  equal(text.endsWith("{\n  field: 'a'\n}"), true, text);
});
test("causes and aggregates", () => {
  const text = line(new AggregateError([new Error("one")], "many", { cause: "why" }));
  equal(text.includes("[cause]: 'why'"), true, text);
  equal(text.includes("[errors]: [\n"), true, text);
});
test("DOMException", () => {
  const text = line(new DOMException("stop", "AbortError"));
  equal(text.startsWith("DOMException [AbortError]: stop"), true, text);
});
test("no code of the program runs but what makes a text, a number or a tag of a value", () => {
  let ran = 0;
  const run = () => { ran++; throw new Error("ran"); };
  const traps = new Proxy({}, { get: run });
  class Odd {
    get x() { return run(); }
    toJSON() { return run(); }
    static [Symbol.hasInstance]() { return run(); }
    [Symbol.for("nodejs.util.inspect.custom")]() { return run(); }
  }
  const error = new Error("e");
  Object.defineProperty(error, "message", { get: run });
  Object.defineProperty(error, "name", { get: run });
  Object.defineProperty(error, "cause", { get: run });
  const f = function () {};
  Object.defineProperty(f, "name", { get: run });
  const values = [
    new Odd(), new Proxy({ a: 1 }, traps), new Proxy(f, traps), Object.create(new Proxy({}, traps)), error, f,
    { get a() { return run(); } }, { constructor: { get name() { return run(); } } },
    Object.defineProperty({}, "constructor", { get: run }), Object.defineProperty([1], "0", { get: run }),
    Object.defineProperty(/x/, "global", { get: run }), Object.setPrototypeOf(new Map([[1, 2]]), new Proxy({}, traps)),
  ];
  for (const value of values) {
    console.log(value);
    console.log("%o %O", value, value);
    console.dir(value, { depth: null });
    console.table([value]);
    console.count(value);
    console.assert(false, value);
  }
  equal(ran, 0);
  equal(written().length, values.length * 6);
});
test("what throws while a value is made a text is passed over", () => {
  const calls = [];
  class Odd {
    get [Symbol.toStringTag]() { calls.push("tag"); throw new Error("no"); }
    [Symbol.toPrimitive](hint) { calls.push(hint); throw new Error("no"); }
  }
  equal(line("%s %d %i %f", new Odd(), new Odd(), new Odd(), new Odd()), "Odd {} NaN NaN NaN");
  same(calls, ["string", "tag", "number", "string", "string"]);
  equal(line(new Proxy(new Odd(), { get() { throw new Error("no"); } })), "Odd {}");
  equal(line("%s", { toString() { return {}; }, valueOf: 1 }), "{ toString: [Function: toString], valueOf: 1 }");
  equal(line("%s", { toString() { return console.log("inner"), "outer"; } }), "inner\n1 outer");
});
test("endless prototype chains end", () => {
  const target = {};
  Object.setPrototypeOf(target, new Proxy(target, {}));
  equal(typeof line(target), "string");
});
test("output is bounded", () => {
  equal(line("x".repeat(200_000)).length, 65536 + "… truncated".length);
  const big = {};
  for (let i = 0; i < 50_000; i++) big["key" + i] = "x".repeat(20);
  equal(line(big).length < 200_000, true);
  equal(line(Array.from({ length: 100 }, () => "y".repeat(9000))).length <= 65536 + 11, true);
  let deep = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  console.dir(deep, { depth: Infinity });
  equal(written().length, 1);
});
test("lone surrogates are replaced", () => equal(line("\ud800"), "\ufffd"));
test("methods need no receiver and are not constructors", () => {
  const { log } = console;
  log("x");
  same(written(), ["1 x"]);
  throws(() => new log(), "TypeError");
  equal(log.name, "log");
  equal(Object.keys(globalThis).includes("console"), false);
});
test("a hostile program harms only itself", () => {
  const saved = {};
  const owners = { Array: Array.prototype, String: String.prototype, Map: Map.prototype, Object: Object.prototype };
  const iterator = Array.prototype[Symbol.iterator];
  const push = Array.prototype.push, join = Array.prototype.join, slice = String.prototype.slice, get = Map.prototype.get;
  const stringify = JSON.stringify, exec = RegExp.prototype.exec, concat = String.prototype.concat;
  const bad = () => { throw new Error("patched"); };
  Array.prototype[Symbol.iterator] = Array.prototype.push = Array.prototype.join = String.prototype.slice = Map.prototype.get = RegExp.prototype.exec = JSON.stringify = String.prototype.concat = bad;
  Object.defineProperty(Object.prototype, "get", { value: bad, configurable: true, writable: true });
  Object.defineProperty(Object.prototype, "entries", { set: bad, configurable: true });
  Object.defineProperty(Array.prototype, "0", { set: bad, configurable: true });
  let failed;
  try {
    console.log({ a: [1, "b'c", new Map()] }, new Error("x"), [1, 2, 3, 4, 5, 6, 7, 8]);
    console.table({ a: { b: 1 } });
    console.count(); console.time(); console.timeEnd(); console.timeEnd("none"); console.dir(new Uint8Array(3)); console.trace("t");
    console.log("%s %d %j", "a", 1.5, {}); console.log(new Proxy(class A {}, {}), Symbol("x"), 1n, -0, [,], new Date(0), /x/g);
    console.group("a");
    console.groupCollapsed("b");
    console.groupEnd();
    console.groupEnd();
  } catch (error) { failed = error; }
  delete Array.prototype[0]; delete Object.prototype.get; delete Object.prototype.entries;
  Array.prototype[Symbol.iterator] = iterator; Array.prototype.push = push; Array.prototype.join = join; String.prototype.slice = slice; Map.prototype.get = get; RegExp.prototype.exec = exec; JSON.stringify = stringify; String.prototype.concat = concat;
  equal(failed, undefined, String(failed) + failed?.stack);
  equal(written()[0].startsWith("1 { a: [ 1, \"b'c\", Map(0) {} ] } Error: x\n"), true);
});
