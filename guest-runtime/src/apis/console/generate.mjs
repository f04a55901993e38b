// Writes `generated.json`: calls of `console`, made by a seeded generator, with the lines that node writes for them.
// Run with node 20: `node generate.mjs > generated.json`. The test beside it compares them with ours.
//
// The same seed gives the same calls. What is random is which values are nested in which; the lists of leaves below name
// every kind of value on purpose.
import { writeSync } from "node:fs";

let state = 0x9e3779b9;
function random(below) {
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  state ^= state >>> 15;
  return (state >>> 0) % below;
}
const pick = (list) => list[random(list.length)];
const many = (least, most, make) => Array.from({ length: least + random(most - least + 1) }, make);

const PRIMITIVES = [
  "0", "-0", "1", "-1.5", "1e21", "1e-7", "NaN", "Infinity", "123456789", "10n", "-3n", "true", "false", "null", "undefined",
  "''", "'a'", "'it\\'s'", "'a\\nb'", "'\\t\\x00\\x1b'", "'\"\\'`'", "'\\ud83d\\ude00'", "'\\ud83d'", "'\\udc00x'", "'é'", "'日本'",
  "'x'.repeat(30)", "'word '.repeat(20)", "'line\\n'.repeat(8)", "Symbol('s')", "Symbol()", "Symbol('a b')", "Symbol('\\n')", "Symbol.iterator",
];
const OBJECTS = [
  "[]", "{}", "new Map()", "new Set()", "Object.create(null)", "new Array(3)", "[,1]", "[1,,2,,]", "Object.assign([1], { k: 'v' })",
  "Object.assign([,,1], { '-1': 2 })", "new Date(0)", "new Date(NaN)", "Object.assign(new Date(5), { k: 1 })", "/a\\/b/gi", "Object.assign(/x/, { k: 1 })",
  "new Number(3)", "new Number(-0)", "new String('box')", "new Boolean(false)", "Object(1n)", "Object(Symbol('b'))", "Object.assign(new String('ab'), { k: 1 })",
  "() => 1", "function named() {}", "function () {}", "async () => {}", "async function af() {}", "function* g() {}", "async function* ag() {}",
  "class A {}", "class B extends Map {}", "class {}", "class C { static s = 1 }", "Object.assign(() => {}, { k: 1 })", "Object.assign(function f() {}, { a: [1] })",
  "Math", "JSON", "Math.max", "Map", "Symbol", "Object.prototype", "Array.prototype", "Function.prototype", "Map.prototype", "Reflect",
  "new Uint8Array([1, 2, 3])", "new Uint8Array(0)", "new Float64Array([1.5, -0])", "new BigInt64Array([1n])", "new Uint8ClampedArray(200)",
  "new Uint8Array([1, 2, 3]).buffer", "new ArrayBuffer(0)", "new DataView(new ArrayBuffer(2), 1)", "Object.assign(new Uint8Array(1), { k: 1 })",
  "new WeakMap()", "new WeakSet()", "Promise.resolve(4)", "new Promise(() => {})", "Promise.resolve({ a: 1 })",
  "new Map([['a', 1]]).entries()", "new Map([['a', 1], ['b', 2]]).keys()", "new Map([['a', { b: 1 }]]).values()", "new Map([[1, 2]])[Symbol.iterator]()",
  "new Set([1, 'x']).values()", "new Set([1, 2]).entries()", "new Set([[1, [2]]])[Symbol.iterator]()", "new Map().keys()", "new Set().entries()",
  "[1, 2].values()", "'ab'[Symbol.iterator]()", "'a1b2'.matchAll(/\\d/g)", "(function* gen() { yield 1 })()", "(async function* () {})()", "(function () { return arguments })(1, 'two')",
  "{ get a() { return 1 } }", "{ set a(v) {} }", "{ get a() { return 1 }, set a(v) {} }", "{ [Symbol('k')]: 1, [Symbol.toStringTag]: 'T' }", "{ 'a-b': 1, 2: 3, '': 4, 'é': 5, $x: 6, a1: 7 }",
  "Object.defineProperty({ v: 1 }, 'hidden', { value: 2 })", "{ toString() { return 'own' } }", "{ constructor: 'no' }", "{ constructor: class X {} }", "{ ['__proto__']: 1 }", "{ a: { b: { c: { d: 1 } } } }",
  "Object.create({ inherited: 1 })", "Object.create(class Q {}.prototype)", "Object.create(Object.create(null))", "Object.create(Object.assign(Object.create(null), { x: 1 }))", "Object.setPrototypeOf([1], null)", "Object.setPrototypeOf(new Map([[1, 2]]), null)", "Object.setPrototypeOf(new Error('x'), null).k",
  "new (class Foo {})()", "new (class Foo { a = 1; #b = 2 })()", "new (class Foo extends Map {})([[1, 2]])", "new (class Foo extends Set {})([1])", "new (class Foo extends Array {})(1, 2, 3)", "new (class Foo extends Uint8Array {})(2)", "new (class extends (class Base {}) {})()",
  "new (class Foo { get [Symbol.toStringTag]() { return 'Bar' } })()", "new (class Foo { get [Symbol.toStringTag]() { return 'Foo' } })()", "new (class Foo { [Symbol.toStringTag] = 'Own' })()", "new (class Foo extends Map { get [Symbol.toStringTag]() { return 'M' } })()", "new (class Foo extends Promise { get [Symbol.toStringTag]() { return 'P' } })(() => {})", "new (class Foo extends Array { get [Symbol.toStringTag]() { return 'L' } })(2)",
  "Object.create({ [Symbol.toStringTag]: 'Inherited' })", "Object.create(null, { [Symbol.toStringTag]: { value: 'N' } })", "Object.defineProperty({}, Symbol.toStringTag, { get() { return 'G' } })", "class Tagged { static [Symbol.toStringTag] = 'S' }", "Object.assign(() => {}, { [Symbol.toStringTag]: 'F' })", "new (class Foo { get [Symbol.toStringTag]() { return '' } })()", "new (class Foo { get [Symbol.toStringTag]() { return 5 } })()", "new (class Foo { get [Symbol.toStringTag]() { throw new Error('no') } get x() { return 1 } })",
  "new Proxy({ a: 1 }, {})", "new Proxy([1, 2], {})", "new Proxy(() => {}, {})", "new Proxy(class P {}, {})", "new Proxy(new Map([[1, 2]]), {})",
  "globalThis.undefinedName", "new URLSearchParams('a=1&b=2')", "new URLSearchParams()", "new URL('http://a.b/c?d#e')", "new (class Foo { constructor() { this.self = this } })()",
];
const ERRORS = [
  "fixed(new Error('e'))", "fixed(new TypeError('bad'))", "fixed(new RangeError(''))", "fixed(Object.assign(new Error('e'), { code: 'X', n: 1 }))", "fixed(new Error('e', { cause: 'why' }))",
  "fixed(new Error('e', { cause: fixed(new TypeError('inner')) }))", "fixed(new AggregateError([fixed(new Error('one'))], 'all'))", "fixed(new (class Mine extends Error {})('m'))", "fixed(new (class MineError extends TypeError {})('m'))",
  "fixed(Object.assign(new Error('e'), { name: 'Renamed' }))", "fixed(new (class E extends Error { name = 'Custom'; field = [1] })('m'))", "bare(new Error('e'))", "bare(new TypeError('two\\nlines'))", "bare(new Error(''))", "bare(Object.assign(new Error('e'), { k: 1 }))",
  "fixed(Object.assign(new Error('e'), { message: 'changed' }))", "fixed(new Error('a\\nb'))", "Object.assign(new Error('e'), { stack: 'own text' })", "Object.assign(new Error('e'), { stack: '' })", "fixed(Object.setPrototypeOf(new Error('e'), null))",
];
const PRELUDE =
  "const fixed = (e) => { Object.defineProperty(e, 'stack', { value: (e.name ?? 'Error') + (e.message ? ': ' + e.message : '') + '\\n    at f (a.js:1:2)\\n    at b.js:3:4', writable: true, configurable: true }); return e };" +
  "const bare = (e) => { Object.defineProperty(e, 'stack', { value: e.name + (e.message ? ': ' + e.message : ''), writable: true, configurable: true }); return e };";

const KEYS = ["a", "b", "key", "longerName", "'a-b'", "1", "[Symbol('k')]", "'it\\'s'", "\"\\ud800\""];
function leaf() {
  const kind = random(10);
  return kind < 5 ? pick(PRIMITIVES) : kind < 9 ? grouped(pick(OBJECTS)) : pick(ERRORS);
}
// `{…}`, `class …` and functions need parentheses where a value is the whole expression; they do no harm elsewhere.
const grouped = (code) => `(${code})`;
function value(depth) {
  if (depth === 0) return leaf();
  const inner = () => value(random(3) === 0 ? 0 : depth - 1);
  switch (random(9)) {
    case 0: return `[${many(0, 5, inner).join(", ")}]`;
    case 1: return `[${many(7, 30, () => pick(PRIMITIVES)).join(", ")}]`;
    case 2: return grouped(`{ ${many(0, 6, () => `${pick(KEYS)}: ${inner()}`).join(", ")} }`);
    case 3: return `new Map([${many(0, 4, () => `[${leaf()}, ${inner()}]`).join(", ")}])`;
    case 4: return `new Set([${many(0, 4, inner).join(", ")}])`;
    case 5: return `new (class Node { constructor() { this.value = ${inner()}; this.next = ${inner()} } })()`;
    case 6: return `Object.assign(Object.create(null), { a: ${inner()}, b: ${inner()} })`;
    case 7: return `[${many(8, 40, () => random(100000)).join(", ")}]`;
    default: return leaf();
  }
}

function* calls() {
  for (const code of PRIMITIVES) yield `console.log(${code}, [${code}], { a: ${code} })`;
  for (const code of OBJECTS) yield `console.log(${grouped(code)}); console.log([${code.startsWith("{") ? code : grouped(code)}])`;
  for (const code of ERRORS) yield `console.log(${code}); console.log({ e: ${code} }, [${code}])`;
  const holders = "%s %d %i %f %j %o %O %c %% %x".split(" ");
  for (const holder of holders) for (const code of [...PRIMITIVES.slice(0, 12), "[5]", "['7px']", "[]", "[1, 2]", "{}", "{ a: { b: { c: 1 } } }", "{ valueOf() { return 42 } }", "{ toString() { return '9' } }", "new Date(7)", "new (class K { toString() { return 'k' } })()", "new (class K { a = { b: {} } })()", "new (class K extends Error { name = 'K' })", "Object.create(null)", "'12abc'", "'\\ud800'", "Symbol('q')", "class Z {}", "() => 1", "new Map([[1, { a: 1 }]])", "{ [Symbol.toPrimitive]() { return 8 } }", "Object('s')", "new Number(6)"])
    // Not an error's own stack: its frames are those of this file.
    if (!code.includes("extends Error") || "%d %i %f %j".includes(holder))
      yield `console.log('a ${holder} b', ${grouped(code)}, 'rest')`;
  for (const code of ["'%s'", "'%s', 'a', 'b'", "'%', 1", "'%s%s', 'a'", "'100%'", "'%d%%', 5", "1, '%s', 2", "'%s', undefined", "'a\\n%s', { a: 1 }", "'%o', [1, [2, [3]]]", "'%O', { a: { b: { c: { d: {} } } } }", "'%5d', 1", "'%s', null", "", "'', ''", "'%i', 12.7", "'%f', '1.5x'", "'%s', -0", "'%d', -0", "'%j', { toJSON() { return 'j' } }"])
    yield `console.log(${code})`;
  yield "const a = { name: 'a' }; a.self = a; a.list = [a, { a }]; console.log(a)";
  yield "const m = new Map(); m.set('m', m); const s = new Set([m]); m.set(s, 1); console.log(m, s)";
  yield "const a = {}, b = { a }; a.b = b; console.log([a, b]); console.log({ x: a, y: { z: b } })";
  yield "const l = [1]; l.push(l); console.log(l, [l])";
  yield "const e = fixed(new Error('loop')); e.cause = e; console.log(e)";
  for (const options of ["{ depth: 0 }", "{ depth: null }", "{ showHidden: true }", "{ compact: false }", "{ compact: 1 }", "{ breakLength: 20 }", "{ maxArrayLength: 2 }", "{ maxStringLength: 3 }", "{ sorted: true }", "{ breakLength: Infinity }"])
    for (const code of ["{ b: [1, 2, 3, { c: { d: { e: 1 } } }], a: 'long text' }", "new Map([['k', { v: [1, 2, 3] }], ['l', 'mmmm']])", "new Set(['aaaa', 'bbbb', 'cccc'])"])
      yield `console.dir(${grouped(code)}, ${options})`;
  for (const code of ["[{ a: 1, b: 'x' }, { a: 2, c: true }]", "[[1, 2], [3]]", "{ x: { y: 1 }, z: 5 }", "new Map([['k', 1]])", "new Set([1])", "[1, 'two', null]", "5", "[]", "[{ a: { b: 1, c: 2, d: 3 } }]", "['日本', 'a']", "[{ a: [1, 2, 3, 4] }]", "new Map([['a', 1]]).entries()", "new Set(['q']).values()", "[Symbol('s')]", "[() => {}]"])
    yield `console.table(${grouped(code)})`;
  for (let count = 0; count < 400; count++) yield `console.log(${value(1 + random(4))})`;
}

const lines = [];
for (const stream of [process.stdout, process.stderr]) stream.write = (text) => (lines.push(String(text)), true);
process.on("unhandledRejection", () => {});
const cases = [];
for (const call of new Set(calls())) {
  const code = `{ ${call.includes("fixed(") || call.includes("bare(") ? PRELUDE : ""} ${call} }`;
  lines.length = 0;
  try {
    (0, eval)(code);
  } catch {
    // Where the program's own code throws, node's `console.log` throws; ours never does.
    continue;
  }
  cases.push({ code, expected: lines.join("").replace(/\n$/, "").toWellFormed() });
}
writeSync(1, "[\n  " + cases.map((one) => JSON.stringify(one)).join(",\n  ") + "\n]\n");
