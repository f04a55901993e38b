// Long arrays, strings, maps and deep objects are cut with a note of how much is left.
console.log(Array.from({ length: 120 }, (_, i) => i));
console.log(new Set(Array.from({ length: 102 }, (_, i) => "item " + i)));
console.log(["x".repeat(10_003)]);
console.log(new Uint8Array(103));
console.log({ a: { b: { c: { d: 1 } }, list: [[[[1]]]], map: new Map([["k", { v: { w: 1 } }]]) } });
console.log(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i])));
