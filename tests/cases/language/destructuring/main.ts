// Destructuring, defaults, rest and spread.
const { a, b: { c: renamed = 3, ...inner } = {} as any, ["d" + 1]: computed = "dflt", ...rest } = { a: 1, b: { e: 5, f: 6 }, x: 9, y: 10 } as any;
console.log(a, renamed, inner, computed, rest);
const [first, , third = "default", ...others] = [1, 2, undefined, 4, 5];
console.log(first, third, others);
let [x, y] = [1, 2];
[x, y] = [y, x];
const target: any = {};
({ p: target.q, r: [target.s] } = { p: 1, r: [2] });
console.log(x, y, target);
function options({ depth = 1, name: { first: given = "nobody" } = {} as any } = {} as any, ...more: number[]) {
  return [depth, given, more];
}
console.log(options(), options({ depth: 2, name: { first: "Ada" } }, 1, 2), options.length);
console.log({ ...{ a: 1, b: 2 }, b: 3, ...null, ...[7] }, [..."añ💚", ...new Set([1, 1])], Math.max(...[1, 5], 3));
for (const [key, { v }] of Object.entries({ one: { v: 1 }, two: { v: 2 } })) console.log(key, v);
const order: string[] = [];
const { z = (order.push("default z"), 1), w = (order.push("default w"), 2) } = { get z() { order.push("get z"); return 0; }, w: undefined };
console.log(z, w, order);
for (const bad of [() => { const { q } = null as any; }, () => { const [q] = {} as any; }]) {
  try {
    bad();
  } catch (error) {
    console.log((error as Error).name);
  }
}
const null_not_default = (({ v = 1 }: any) => v)({ v: null });
console.log(null_not_default);
