// BigInt: exact arithmetic, conversions, mixing refused, and 64-bit wrapping.
const big = 2n ** 64n;
console.log(big, big - 1n, -7n / 2n, -7n % 2n, 5n << 70n, -1n >> 3n, ~5n, 6n & 3n, 6n | 3n, 6n ^ 3n);
console.log(BigInt("0xff"), BigInt(2 ** 53), BigInt(" 12 "), Number(big), parseInt("9007199254740993"));
console.log(1n < 2, 2n == 2 as any, (2n as any) === 2, typeof 1n, [3n, 1, 2n].sort().join());
console.log(BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), BigInt.asUintN(64, -1n));
console.log((255n).toString(16), (123n).toString(2), 1_000_000n);
let factorial = 1n;
for (let n = 1n; n <= 30n; n++) factorial *= n;
console.log(factorial);
for (const bad of [() => 1n + (1 as any), () => BigInt(1.5), () => 1n / 0n, () => JSON.stringify({ a: 1n }), () => Math.max(1n as any), () => BigInt("x"), () => +(1n as any), () => 2n ** -1n]) {
  try {
    console.log(bad());
  } catch (error) {
    console.log((error as Error).name);
  }
}
console.log(0n ? "truthy" : "falsy", !!1n, String(10n), `${10n}`);
