// The generator of these tests gives bytes of 255 and the number 0.25.
test("Math.random", () => {
  equal(Math.random(), 0.25);
  same([Math.random.name, Math.random.length, Object.keys(Math).length], ["random", 0, 0]);
  throws(() => new Math.random(), "TypeError");
});
test("randomUUID", () => equal(crypto.randomUUID(), "ffffffff-ffff-4fff-bfff-ffffffffffff"));
test("getRandomValues", () => {
  const bytes = new Uint8Array(4);
  equal(crypto.getRandomValues(bytes.subarray(1, 3)).length, 2);
  same([...bytes], [0, 255, 255, 0]);
  equal(crypto.getRandomValues(new Uint32Array(1))[0], 2 ** 32 - 1);
  equal(crypto.getRandomValues(new BigInt64Array(1))[0], -1n);
  equal(throws(() => crypto.getRandomValues(new Uint8Array(65537)), "QuotaExceededError").code, 22);
  equal(crypto.getRandomValues(new Uint8Array(65536)).length, 65536);
  for (const wrong of [new Float64Array(1), [1], new DataView(new ArrayBuffer(1)), undefined])
    throws(() => crypto.getRandomValues(wrong), "TypeMismatchError");
});
test("interface", () => {
  throws(() => new Crypto(), "TypeError");
  throws(() => Crypto.prototype.randomUUID.call({}), "TypeError");
  equal(String(crypto), "[object Crypto]");
});
