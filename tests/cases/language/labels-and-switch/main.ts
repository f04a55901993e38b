// Labels, switch with fall-through, comma, do-while, for-in order and finally.
function kind(value: unknown) {
  switch (typeof value) {
    case "number":
      if (value === 0) return "zero";
    case "bigint":
      return "numeric";
    default:
      return "other";
    case "string": {
      const value = "scoped";
      return value;
    }
  }
}
console.log([1, 0, 2n, "s", true].map(kind));
const pairs: string[] = [];
rows: for (let row = 0; row < 4; row++) {
  for (let column = 0; ; column++) {
    if (column === row) continue rows;
    if (row === 3) break rows;
    pairs.push(`${row}${column}`);
  }
}
console.log(pairs);
block: {
  if (pairs.length) break block;
  console.log("skipped");
}
const closures: (() => number)[] = [];
for (let i = 0; i < 3; i++) closures.push(() => i);
for (var v = 0; v < 3; v++) closures.push(() => v);
console.log(closures.map((f) => f()));
const keys: string[] = [];
for (const key in Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 1 } })) keys.push(key);
for (const key in { b: 1, 10: 1, 9: 1, a: 1 }) keys.push(key);
console.log(keys);
const final = (() => { for (;;) { try { return "try"; } finally { break; } } return "finally wins"; })();
let n = 0;
do n++; while (n < 5);
console.log(final, n, (1, 2, 3), switchTrue(5));
function switchTrue(x: number) {
  switch (true) { case x > 10: return "big"; case x > 3: return "middle"; }
}
