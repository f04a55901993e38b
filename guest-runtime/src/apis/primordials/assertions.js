// The few assertions that the test files of the APIs use. The value of the script is a function that lists the failures.
const { test, equal, same, throws, inHostileProgram, report } = (() => {
  const failures = [];
  let count = 0;
  const show = (value) => (typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? `${value}n` : value instanceof Error ? String(value) : JSON.stringify(value) ?? String(value));
  const equal = (actual, expected, note = "") => {
    if (!Object.is(actual, expected)) throw new Error(`${note} expected ${show(expected)}, got ${show(actual)}`);
  };
  const same = (actual, expected, note) => equal(JSON.stringify(actual), JSON.stringify(expected), note);
  const throws = (body, name, part = "") => {
    try {
      body();
    } catch (error) {
      equal(error.name, name);
      if (!error.message.includes(part)) throw new Error(`message ${show(error.message)} lacks ${show(part)}`);
      return error;
    }
    throw new Error(`expected ${name}, nothing was thrown`);
  };
  const push = Array.prototype.push;
  const fail = (name, error) => Reflect.apply(push, failures, [`${name}: ${error}\n${error?.stack}`]);
  const test = (name, body) => {
    count++;
    try {
      const result = body();
      if (result instanceof Promise) result.then(undefined, (error) => fail(name, error));
    } catch (error) {
      fail(name, error);
    }
  };
  const report = () => (count === 0 ? ["no test ran"] : failures);
  // Runs `body` while the language is not to be trusted, and gives back its value.
  const inHostileProgram = (body) => {
    const bad = () => { throw new Error("patched"); };
    const patched = [
      [Array.prototype, "push join slice splice sort indexOf concat"],
      [String.prototype, "concat slice includes toWellFormed trim toLowerCase"],
      [Map.prototype, "get set has forEach"], [Set.prototype, "add has"],
      [Reflect, "apply ownKeys"], [Object, "keys defineProperty"],
    ];
    const saved = [];
    const iterator = Array.prototype[Symbol.iterator];
    for (const [owner, names] of patched) for (const name of names.split(" ")) saved.push([owner, name, owner[name]]);
    for (const [owner, name] of saved) owner[name] = bad;
    Object.prototype.get = bad;
    ArrayBuffer.prototype.constructor = bad;
    Array.prototype[Symbol.iterator] = bad;
    try {
      return body();
    } finally {
      Array.prototype[Symbol.iterator] = iterator;
      ArrayBuffer.prototype.constructor = ArrayBuffer;
      delete Object.prototype.get;
      for (const [owner, name, value] of saved) owner[name] = value;
    }
  };
  return { test, equal, same, throws, inHostileProgram, report };
})();
report
