// Async functions, async generators, promise combinators, and the order in which they settle.
const order: string[] = [];
const say = (text: string) => void order.push(text);

async function inner(): Promise<number> {
  say("inner starts");
  await null;
  say("inner goes on");
  return 7;
}

const pending = inner();
say("after the call");
Promise.resolve().then(() => say("a microtask"));
console.log(await pending, order);

async function* countdown(from: number): AsyncGenerator<number> {
  try {
    while (from > 0) {
      await null;
      yield from--;
    }
  } finally {
    say("generator closed");
  }
}
const seen: number[] = [];
for await (const value of countdown(5)) {
  seen.push(value);
  if (value === 3) break;
}
console.log(seen, order.at(-1));

for await (const value of [Promise.resolve("promised"), "plain"]) console.log(value);

console.log(await Promise.all([1, Promise.resolve(2), { then: (done: (n: number) => void) => done(3) }]));
const settled = await Promise.allSettled([Promise.resolve(1), Promise.reject("no")]);
console.log(settled);
console.log(await Promise.race([new Promise(() => {}), Promise.resolve("first")]));
console.log(await Promise.any([Promise.reject(1), Promise.resolve("any")]));
try {
  await Promise.any([Promise.reject("a"), Promise.reject("b")]);
} catch (error) {
  console.log(error instanceof AggregateError, (error as AggregateError).errors);
}

const found = await (async () => {
  try {
    await Promise.reject(new Error("late"));
    return "unreachable";
  } catch (error) {
    return `caught ${(error as Error).message}`;
  } finally {
    say("finally");
  }
})();
console.log(found, order.at(-1));
console.log(await Promise.resolve(1).finally(() => 2));
