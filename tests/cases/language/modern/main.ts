// What came with ES2022 to ES2025, as far as the engine has it.
const numbers = [3, 1, 2];
console.log(numbers.at(-1), numbers.findLast((n) => n > 1), numbers.findLastIndex((n) => n > 5));
console.log(numbers.toSorted(), numbers.toReversed(), numbers.with(1, 9), numbers.toSpliced(0, 1, 7, 8), numbers);
console.log([1, [2, [3, [4]]]].flat(Infinity), [1, 2].flatMap((n) => [n, n * 10]), "abc".at(-1));
console.log(Object.groupBy(numbers, (n) => n % 2 ? "odd" : "even"), Map.groupBy(numbers, (n) => n > 1));
console.log(Object.hasOwn({ a: 1 }, "a"), Object.fromEntries([["k", 1]]), Error("e", { cause: 1 }).cause);
const { promise, resolve } = Promise.withResolvers<string>();
resolve("resolved from outside");
console.log(await promise, await Promise.try(() => "tried"));
console.log(await Array.fromAsync((async function* () { yield 1; yield Promise.resolve(2); })(), (n) => n * 2));
const [left, right] = [new Set([1, 2, 3]), new Set([2, 3, 4])];
console.log(left.union(right), left.intersection(right), left.difference(right), left.symmetricDifference(right));
console.log(left.isSubsetOf(right), new Set([2]).isSubsetOf(right), left.isSupersetOf(new Set([1])), left.isDisjointFrom(new Set([9])));
function* naturals() { for (let n = 1; ; n++) yield n; }
console.log(naturals().filter((n) => n % 2).map((n) => n * n).drop(1).take(3).toArray());
console.log(naturals().take(4).reduce((a, b) => a + b), naturals().some((n) => n > 5), naturals().take(3).every((n) => n < 3), naturals().find((n) => n > 7));
console.log(Iterator.from({ next: () => ({ done: true, value: 0 }) }).toArray(), [..."ab"].values().flatMap((c) => [c, c]).toArray());
console.log("a\ud800".isWellFormed(), "a\ud800".toWellFormed() === "a\ufffd", "x".padStart(3, "-"), " t ".trimEnd() + "|");
console.log(RegExp.escape("a.b"), "aXbX".replaceAll("X", "_"), /(?<y>\d{4})|(?<y>\d{2})$/.exec("24")!.groups!.y, /(?i:A)b/.test("ab"));
console.log(new Uint8Array([1, 2, 3]).toHex?.(), new Float16Array([1.337])[0], Math.f16round(1.337), Math.sumPrecise?.([0.1, 0.2, 0.3]));
console.log(structuredClone({ at: new Date(0), m: new Map([[1, new Set([2])]]) }), [1, 2, 3].includes(NaN), Number.MAX_SAFE_INTEGER, Math.hypot(3, 4), Math.clz32(1), Math.trunc(-1.5));
class Closing implements Disposable {
  name: string;
  constructor(name: string) { this.name = name; }
  [Symbol.dispose]() { console.log("disposed", this.name); }
}
{
  using first = new Closing("first");
  using second = new Closing("second");
  await using third = { async [Symbol.asyncDispose]() { await null; console.log("disposed third"); } };
  console.log("in use", first.name, second.name, typeof third);
}
