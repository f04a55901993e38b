// Expectations are those of the HTML standard.
test("plain data", () => {
  const value = { a: [1, "x", null, undefined, true, 10n, NaN], b: { c: {} } };
  const copy = structuredClone(value);
  equal(copy.a[5], 10n);
  equal(Object.is(copy.a[6], NaN), true);
  equal(copy !== value && copy.b !== value.b, true);
  equal(Object.keys(copy).join(), "a,b");
  equal(Object.getPrototypeOf(copy), Object.prototype);
  equal(Object.getPrototypeOf(copy.a), Array.prototype);
  equal(Array.isArray(copy.a), true);
});
test("cycles and shared parts", () => {
  const value = { list: [] };
  value.self = value;
  value.list.push(value.list, value);
  const copy = structuredClone(value);
  equal(copy.self, copy);
  equal(copy.list[0], copy.list);
  equal(copy.list[1], copy);
  const part = {};
  const [a, b] = structuredClone([part, part]);
  equal(a, b);
});
test("collections, dates, expressions", () => {
  const key = { k: 1 };
  const copy = structuredClone(new Map([[key, new Set([key, 1])], ["d", new Date(5)]]));
  const [[k, set], [, date]] = [...copy];
  equal(set.has(k), true);
  equal(k !== key, true);
  equal(date.getTime(), 5);
  const source = /a\/b/giu;
  source.lastIndex = 3;
  const expression = structuredClone(source);
  same([expression.source, expression.flags, expression.lastIndex], ["a\\/b", "giu", 0]);
});
test("boxes", () => {
  for (const [box, value] of [[Object(1), 1], [Object("s"), "s"], [Object(false), false], [Object(2n), 2n]]) {
    const copy = structuredClone(box);
    equal(typeof copy, "object");
    equal(copy.valueOf(), value);
  }
});
test("buffers and views", () => {
  const buffer = new Uint8Array([1, 2, 3, 4]).buffer;
  const { bytes, view, wide, raw } = structuredClone({ bytes: new Uint8Array(buffer, 1, 2), view: new DataView(buffer, 2), wide: new Uint16Array(buffer), raw: buffer });
  equal(bytes.buffer, raw);
  equal(view.buffer, raw);
  same([...bytes, view.getUint8(0), view.byteLength, wide.length], [2, 3, 3, 2, 2]);
  bytes[0] = 9;
  equal(new Uint8Array(buffer)[1], 2);
  equal(structuredClone(new BigInt64Array([5n]))[0], 5n);
  const resizable = structuredClone(new ArrayBuffer(2, { maxByteLength: 8 }));
  same([resizable.byteLength, resizable.maxByteLength], [2, 8]);
});
test("resizable buffers and views that follow them", () => {
  const resizable = () => new ArrayBuffer(4, { maxByteLength: 8 });
  const buffer = resizable();
  const views = { bytes: new Uint8Array(buffer), rest: new Uint16Array(buffer, 2), fixed: new Uint8Array(buffer, 1, 3), view: new DataView(buffer, 1), fixedView: new DataView(buffer, 1, 2) };
  const copy = structuredClone(views);
  copy.bytes.buffer.resize(8);
  same([copy.bytes.length, copy.rest.length, copy.fixed.length, copy.view.byteLength, copy.fixedView.byteLength], [8, 3, 3, 7, 2]);
  same([copy.rest.byteOffset, copy.fixedView.byteOffset, views.bytes.length], [2, 1, 4]);
  const empty = structuredClone(new Uint8Array(resizable(), 4));
  empty.buffer.resize(6);
  equal(empty.length, 2);
  const given = resizable();
  const moved = structuredClone(new Uint8Array(given), { transfer: [given] });
  moved.buffer.resize(6);
  same([moved.length, moved.buffer.maxByteLength, given.byteLength], [6, 8, 0]);
  for (const make of [(buffer) => new Uint8Array(buffer, 2, 2), (buffer) => new Uint8Array(buffer, 3), (buffer) => new DataView(buffer, 3), (buffer) => new DataView(buffer, 0, 4)]) {
    const shrunk = resizable();
    const view = make(shrunk);
    shrunk.resize(2);
    throws(() => structuredClone(view), "DataCloneError", "bounds");
  }
});
test("errors", () => {
  const error = new RangeError("bad", { cause: { a: 1 } });
  error.extra = 1;
  const copy = structuredClone(error);
  equal(copy instanceof RangeError, true);
  same([copy.name, copy.message, copy.cause.a, copy.extra, copy.stack], ["RangeError", "bad", 1, undefined, error.stack]);
  class Mine extends Error { name = "Mine"; }
  equal(Object.getPrototypeOf(structuredClone(new Mine("x"))), Error.prototype);
  const dom = structuredClone(new DOMException("m", "AbortError"));
  same([dom.name, dom.message, dom instanceof DOMException], ["AbortError", "m", true]);
  equal(structuredClone(new AggregateError([new TypeError("a")], "m")).errors[0] instanceof TypeError, true);
});
test("classes lose their class, getters run, the hidden stays behind", () => {
  class A { x = 1; #y = 2; get z() { return 3; } }
  const copy = structuredClone(new A());
  equal(Object.getPrototypeOf(copy), Object.prototype);
  same(copy, { x: 1 });
  same(structuredClone({ get a() { return 1; }, [Symbol("s")]: 1 }), { a: 1 });
  throws(() => structuredClone({ get a() { throw new RangeError("mine"); } }), "RangeError", "mine");
  same(structuredClone(Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } })), { own: 2 });
});
test("arrays keep holes and other keys", () => {
  const copy = structuredClone(Object.assign([1, , 3], { x: 1 }));
  same([copy.length, 1 in copy, copy.x], [3, false, 1]);
});
test("`__proto__` is a key", () => {
  const copy = structuredClone(JSON.parse('{"__proto__":{"a":1}}'));
  equal(Object.getPrototypeOf(copy), Object.prototype);
  equal(Object.getOwnPropertyDescriptor(copy, "__proto__").value.a, 1);
});
test("what cannot be cloned", () => {
  for (const value of [() => {}, Symbol("x"), Object(Symbol("x")), new Proxy({}, {}), Promise.resolve(), new WeakMap(), (function* () {})(), new URL("http://a"), { f() {} }, [Symbol.iterator]])
    equal(throws(() => structuredClone(value), "DataCloneError").code, 25);
  throws(() => structuredClone(), "TypeError");
});
test("transfer", () => {
  const buffer = new Uint8Array([7]).buffer;
  const { a, b } = structuredClone({ a: new Uint8Array(buffer), b: buffer }, { transfer: [buffer] });
  same([a[0], a.buffer === b, buffer.byteLength], [7, true, 0]);
  throws(() => structuredClone(buffer), "DataCloneError");
  throws(() => structuredClone(1, { transfer: [buffer] }), "DataCloneError");
  const other = new ArrayBuffer(1);
  throws(() => structuredClone(1, { transfer: [other, other] }), "DataCloneError");
  throws(() => structuredClone(1, { transfer: [{}] }), "DataCloneError");
  throws(() => structuredClone(() => {}, { transfer: [other] }), "DataCloneError");
  equal(other.byteLength, 1);
});
test("setters on prototypes see nothing", () => {
  let seen = 0;
  Object.defineProperty(Object.prototype, "a", { set() { seen++; }, configurable: true });
  Object.defineProperty(Array.prototype, "1", { set() { seen++; }, configurable: true });
  const source = [0];
  Object.defineProperty(source, "1", { value: { }, enumerable: true });
  Object.defineProperty(source[1], "a", { value: 1, enumerable: true });
  const copy = structuredClone(source);
  delete Object.prototype.a;
  delete Array.prototype[1];
  equal(seen, 0);
  equal(copy[1].a, 1);
});
test("a hostile program harms only itself", () => {
  const text = inHostileProgram(() => {
    const copy = structuredClone({ a: [1, new Map(), new Error("e"), new Uint8Array(2), new Date(0), /x/] });
    try { structuredClone(() => {}); } catch {}
    return copy.a[2].message;
  });
  equal(text, "e");
});
