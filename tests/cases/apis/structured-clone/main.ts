// structuredClone: deep, cycles kept, builtins kept, functions refused.
const original: any = { date: new Date(0), map: new Map([[{ k: 1 }, new Set([1])]]), re: /x/gi, big: 1n, bytes: new Uint8Array([1, 2]), list: [1, , 3], error: new RangeError("r"), nested: { undef: undefined, minus: -0 }, boxed: Object("s") };
original.self = original;
const copy = structuredClone(original);
console.log(copy.self === copy, copy !== original, copy.nested !== original.nested, copy.map instanceof Map, [...copy.map.keys()][0] !== [...original.map.keys()][0]);
console.log(copy.date, copy.map, copy.re, copy.big, copy.bytes, copy.list, copy.nested, copy.boxed, copy.error instanceof RangeError, copy.error.message);
class Point { x = 1; get double() { return 2; } }
console.log(structuredClone(new Point()), structuredClone({ get computed() { return 5; } }), structuredClone("text"), structuredClone(null));
const shared = { s: 1 };
const pair = structuredClone([shared, shared]);
console.log(pair[0] === pair[1], pair[0] !== shared);
for (const bad of [() => structuredClone(() => 1), () => structuredClone({ s: Symbol("x") }), () => structuredClone(new WeakMap()), () => structuredClone(Promise.resolve()), () => (structuredClone as any)()]) {
  try {
    console.log(bad());
  } catch (error) {
    console.log((error as Error).name);
  }
}
const buffer = new Uint8Array([7, 8]).buffer;
const moved = structuredClone(buffer, { transfer: [buffer] });
console.log(moved.byteLength, buffer.byteLength);
