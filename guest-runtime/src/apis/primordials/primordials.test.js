// Primordials keep working after a program has replaced everything they were taken from.
test("methods are taken once", () => {
  const before = Array.prototype.join;
  Array.prototype.join = () => "forged";
  const list = primordials.newList();
  list[0] = "a";
  list[1] = "b";
  const joined = primordials.ArrayPrototypeJoin(list, "-");
  Array.prototype.join = before;
  equal(joined, "a-b");
});
test("lists see no setter of the program", () => {
  let seen = 0;
  Object.defineProperty(Array.prototype, "0", { set() { seen++; }, configurable: true });
  const list = primordials.newList();
  list[list.length] = "x";
  delete Array.prototype[0];
  equal(seen, 0);
  equal(list[0], "x");
});
test("descriptors inherit nothing", () => {
  Object.prototype.get = () => "forged";
  const descriptor = primordials.descriptorOf({ a: 1 }, "a");
  delete Object.prototype.get;
  equal(descriptor.get, undefined);
  equal(descriptor.value, 1);
});
test("classes cannot be forged", () => {
  const { classOf, classes } = primordials;
  equal(classOf(Object.create(Map.prototype)), classes.Object);
  equal(classOf(new Map()), classes.Map);
  equal(classOf(new Proxy(new Map(), {})), classes.Proxy);
  equal(classOf(1), 0);
});
test("proxies give their target without a trap", () => {
  const target = {};
  equal(primordials.proxyTarget(new Proxy(target, { get() { throw 1; } })), target);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  equal(primordials.proxyTarget(proxy), null);
  equal(primordials.proxyTarget({}), undefined);
});
test("promises tell their state", () => {
  equal(primordials.promiseState(new Promise(() => {})), undefined);
  same(primordials.promiseState(Promise.resolve(1)), [true, 1]);
  const rejected = Promise.reject(2);
  rejected.catch(() => {});
  same(primordials.promiseState(rejected), [false, 2]);
});
test("the prelude shows no source", () => {
  equal(String(primordials.newList).includes("[native code]"), true);
});
