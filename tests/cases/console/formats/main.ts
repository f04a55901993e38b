// Values are shown as node shows them.
class Point { x = 1; y = 2; #hidden = 3; get sum() { return this.x + this.y + this.#hidden; } }
class Empty {}
class Child extends Point { z = 3; }
console.log("text", 1, -0, 1.5, NaN, true, null, undefined, 10n, Symbol("s"));
console.log(["text", 1, -0, null, undefined, 10n, Symbol("s")], [], {}, [[]], [{}]);
console.log({ a: 1, "b-c": "it's", d: 'say "hi"', e: `both ' and "`, 1: true, [Symbol("k")]: 1, nested: { deep: { deeper: { deepest: 1 } } } });
console.log(new Point(), new Empty(), new Child(), Object.create(null), Object.create({ inherited: 1 }), Point, Child, Empty);
console.log(() => 1, function named() {}, async () => {}, function* gen() {}, async function* agen() {}, Math.max, class {}, Object.assign(() => {}, { extra: 1 }));
console.log(new Map<unknown, unknown>([["k", { v: 1 }], [{ o: 1 }, [1]]]), new Set(["a", { b: 1 }]), new Map(), new Set(), new WeakMap(), new WeakSet());
console.log([1, , 3, , ,], [undefined, null], Object.assign([1, 2], { extra: true }), new Array(5), [1, [2, [3, [4, [5]]]]]);
console.log(new Date(0), [new Date(NaN)], /re/gi, [/x/], Object(1), Object("boxed"), Object(true), Object(Symbol("b")), [Object(5n)]);
console.log(new Uint8Array([1, 2]), new ArrayBuffer(2), new DataView(new ArrayBuffer(1)), new BigInt64Array(1));
console.log(Promise.resolve(1), Promise.reject(2).catch(() => {}) && 0, new Promise(() => {}), { get a() { return 1; }, set a(v) {}, get b() { return 2; }, set c(v: number) {} });
console.log(globalThis === undefined, Math, JSON, Symbol.iterator, [Symbol("in array")], new Proxy({ target: 1 }, {}), (function () { return arguments; })(), [1, 2][Symbol.iterator]());
const cycle: any = { name: "loop", list: [] };
cycle.self = cycle;
cycle.list.push(cycle, { up: cycle.list });
console.log(cycle);
console.log({ text: "line\nbreak\ttab \u0007 \\ 💚 é \x7f", key: "x".repeat(3) }, ["it's", 'a "b"', "`"], "top\nlevel");
console.log({ f() {}, g: () => {}, async h() {}, C: class C {}, undefined: undefined, null: null });
console.log({ get [Symbol.toStringTag]() { return "Tagged"; }, a: 1 }, new (class extends Map { extra = 1; })([[1, 2]]), new (class Stack extends Array {})(3));
console.log();
console.log("");
console.log([""], ["a".repeat(20), "b".repeat(20), "c".repeat(20), "d".repeat(20)], { long: "x".repeat(80), other: 1 });
console.log({ a: { b: { c: {} } } }, { a: { b: { c: [] } } }, { a: { b: { c: [1] } } }, { a: { b: { c: new Map() } } }, [[[[]]]], [[[[1]]]]);
