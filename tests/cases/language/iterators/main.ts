// Iteration protocols: closing an iterator, laziness, Map and Set while they change.
class Range implements Iterable<number> {
  constructor(from: number, to: number) { this.from = from; this.to = to; }
  from: number;
  to: number;
  [Symbol.iterator](): Iterator<number> {
    let at = this.from;
    return {
      next: () => at < this.to ? { value: at++, done: false } : { value: undefined, done: true },
      return: () => (console.log("closed at", at), { value: undefined, done: true }),
    };
  }
}
const range = new Range(1, 5);
console.log([...range], Array.from(range, (n) => n * 10), Math.max(...range), new Set(range).size);
for (const n of range) if (n === 2) break;
const [one, two] = range;
console.log(one, two);
outer: for (const n of range) for (const m of range) { if (m === n + 1) continue outer; if (n === 3) break outer; }
try {
  for (const n of range) throw new Error(`at ${n}`);
} catch (error) {
  console.log((error as Error).message);
}
const map = new Map([["a", 1], ["b", 2]]);
for (const [key] of map) if (key === "a") { map.delete("b"); map.set("c", 3); }
console.log([...map.keys()], [...map.entries()], Object.fromEntries(map));
console.log([...[, 1].entries()], [..."a💚"].length, Object.entries({ b: 1, a: 2, 1: 3 }));
const entries = new Map([[NaN, "nan"], [0, "zero"]]);
console.log(entries.get(NaN), entries.get(-0), [...entries.keys()]);
const iterator = [1, 2, 3][Symbol.iterator]();
iterator.next();
console.log([...iterator], iterator.next(), Object.prototype.toString.call(iterator));
try {
  [...(5 as any)];
} catch (error) {
  console.log((error as Error).name);
}
