// JSON: replacers, revivers, indentation, toJSON, odd values, escapes and refusals.
console.log(JSON.stringify({ a: [1, "two", null, true, undefined, () => 1], b: undefined, c: NaN, d: -0, e: new Date(0), f: Symbol("s") }));
console.log(JSON.stringify({ a: 1, b: { c: [1, 2] }, e: [], f: {} }, null, 2));
console.log(JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ["a", "c"]), JSON.stringify({ n: 1 }, (key, value) => key === "n" ? value + 1 : value));
console.log(JSON.parse('{"a":[1,{"b":2}],"__proto__":5}', (key, value) => typeof value === "number" ? value * 2 : value));
console.log(JSON.stringify("\u2028\ud800\"\\\n\u0007é💚"), JSON.stringify({ toJSON: () => ({ replaced: true }) }), JSON.stringify([new Map([[1, 2]]), new Set([1]), /x/, Object(1), Object("s")]));
console.log(JSON.parse(" [1e3, -0.5, \"\\u0041\\n\"] "), JSON.parse("1"), JSON.stringify(undefined), JSON.stringify(null), Object.is(JSON.parse("-0"), -0));
console.log(JSON.parse('{"a":1,"a":2}'), 1e21, JSON.stringify([1e21, 1e-7, 0.1 + 0.2, 123456789012345680000, 5e-324]));
for (const bad of ["", "{a:1}", "[1,]", "'x'", "01", "\"\t\"", "nul", "{\"a\":1}}", "NaN"]) {
  try {
    JSON.parse(bad);
    console.log("accepted", bad);
  } catch (error) {
    console.log((error as Error).name, JSON.stringify(bad));
  }
}
const cycle: any = { a: {} };
cycle.a.b = cycle;
try {
  JSON.stringify(cycle);
} catch (error) {
  console.log((error as Error).name);
}
console.log(JSON[Symbol.toStringTag as keyof typeof JSON], JSON.stringify({ [Symbol("hidden")]: 1, shown: 1 }, null, "--"));
