// Getters are not run, throwing toString and proxies do no harm.
console.log({ get boom() { throw new Error("never run"); } });
console.log(new Proxy({}, { get() { throw new Error("never run"); }, ownKeys() { throw new Error("never run"); } }));
console.log({ toString() { throw new Error("no"); } }, { [Symbol.toPrimitive]: 1 });
console.log({ constructor: null, a: 1 }, { constructor: { name: "Fake" } }, Object.assign(Object.create(null), { a: 1 }));
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
console.log(proxy);
console.log(new (class { constructor() { return Object.create({ constructor: undefined }); } })());
Array.prototype.map = null as any;
(globalThis as any).JSON = null;
Object.prototype.toString = () => "forged";
console.log([1, { a: [2] }], new Map([[1, 2]]));
