// Proxy and Reflect: every trap, revocation, and the invariants that a handler cannot break.
const log: string[] = [];
const handler = new Proxy({}, {
  get: (_, trap: string) => (target: any, ...rest: any[]) => {
    log.push(trap);
    return (Reflect as any)[trap](target, ...rest);
  },
}) as ProxyHandler<any>;
const traced: any = new Proxy(function target(this: any, x: number) { return x; }, handler);
traced.a = 1;
traced.a;
"a" in traced;
delete traced.a;
traced(1);
new traced(1);
Object.keys(traced);
Object.getPrototypeOf(traced);
Object.setPrototypeOf(traced, null);
Object.defineProperty(traced, "b", { value: 2, configurable: true });
Object.isExtensible(traced);
Object.preventExtensions(traced);
console.log([...new Set(log)].join(" "));

const withDefault = new Proxy({ known: 1 } as Record<string, number>, { get: (target, key, receiver) => Reflect.has(target, key) ? Reflect.get(target, key, receiver) : 42 });
console.log(withDefault.known, withDefault.unknown);

const validated = new Proxy({} as Record<string, unknown>, {
  set(target, key, value) {
    if (typeof value !== "number") return false;
    return Reflect.set(target, key, value);
  },
});
validated.ok = 1;
try {
  validated.bad = "text";
} catch (error) {
  console.log((error as Error).name, Object.keys(validated));
}

const negative = new Proxy([1, 2, 3], { get: (t, k, r) => Reflect.get(t, typeof k === "string" && +k < 0 ? String(t.length + +k) : k, r) });
console.log(negative[-1], negative.length, Array.isArray(negative), JSON.stringify(negative));

const { proxy, revoke } = Proxy.revocable({ a: 1 }, {});
console.log(proxy.a);
revoke();
const frozen = Object.freeze({ a: 1 });
for (const bad of [() => proxy.a, () => new Proxy(frozen, { get: () => 2 }).a, () => Object.keys(new Proxy(frozen, { ownKeys: () => [] }))]) {
  try {
    console.log(bad());
  } catch (error) {
    console.log((error as Error).name);
  }
}
console.log(Reflect.ownKeys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol.iterator]: 1 }), Reflect.apply(Math.max, null, [1, 3]), Reflect.construct(Date, [0]).getTime());
