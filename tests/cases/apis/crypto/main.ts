// crypto draws from the run's seed: with `--seed` the numbers are always the same.
const uuid: string = crypto.randomUUID();
console.log(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid), crypto.randomUUID() !== uuid);
const bytes = crypto.getRandomValues(new Uint8Array(4));
console.log(uuid, bytes, Math.random());
console.log(crypto.getRandomValues(new Uint32Array(1))[0], crypto.getRandomValues(new BigUint64Array(1))[0]);
for (const bad of [() => crypto.getRandomValues(new Float64Array(1) as any), () => crypto.getRandomValues(new Uint8Array(65537)), () => crypto.getRandomValues([1] as any)]) {
  try {
    bad();
  } catch (error) {
    console.log((error as Error).name);
  }
}
console.log(typeof (crypto as any).subtle, Object.prototype.toString.call(crypto));
