// Generators: two-way values, delegation, early return, throw, and spreading.
function* conversation(): Generator<string, string, number> {
  const first = yield "first?";
  const second = yield `second after ${first}?`;
  return `sum ${first + second}`;
}
const talk = conversation();
console.log(talk.next(), talk.next(20), talk.next(22), talk.next());

function* tree(depth: number): Generator<number> {
  if (depth === 0) return;
  yield* tree(depth - 1);
  yield depth;
  yield* tree(depth - 1);
}
console.log([...tree(3)].join(""));

function* careful() {
  try {
    yield 1;
    yield 2;
  } catch (error) {
    yield `caught ${error}`;
  } finally {
    console.log("cleaned up");
  }
}
const thrown = careful();
thrown.next();
console.log(thrown.throw("a stone"), thrown.next());
const returned = careful();
returned.next();
console.log(returned.return("early" as never), returned.next());

function* delegate() {
  const result = yield* conversation();
  yield `delegated: ${result}`;
}
const outer = delegate();
outer.next();
outer.next(1);
console.log(outer.next(2).value);

const fibonacci = {
  *[Symbol.iterator]() {
    let [a, b] = [0n, 1n];
    for (;;) {
      yield a;
      [a, b] = [b, a + b];
    }
  },
};
let count = 0;
for (const value of fibonacci) if (++count > 90) { console.log(value); break; }
console.log(Object.prototype.toString.call(talk), tree.constructor.name);
