// Where lines break: 72 columns, six short numbers in a row, nested indentation.
console.log({ alpha: 1, beta: "two", gamma: [1, 2, 3], delta: { x: 1 }, epsilon: true, zeta: null });
console.log({ alpha: 1, beta: "two", gamma: [1, 2, 3], delta: { x: 1 }, epsilon: true, zeta: null, eta: "more" });
console.log([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7], Array.from({ length: 30 }, (_, i) => i * 7));
console.log(["one", "two", "three", "four", "five", "six", "seven", "eight"]);
console.log(Array.from({ length: 3 }, (_, id) => ({ id, name: `name ${id}`, tags: ["a", "b"] })));
console.log({ users: [{ name: "Ada", address: { city: "London", geo: { lat: 1 } } }], total: 1 });
console.log(new Map([["first key", { id: 1, text: "some text here" }], ["second key", { id: 2, text: "some more text here" }]]));
console.log({ text: "a".repeat(30) + "\n" + "b".repeat(60), after: 1 });
console.log([[1, 2, [3, 4, [5, [6]]], { a: 1 }], "x".repeat(100)]);
console.log([true, false, true, false, true, false, true], [1.5, 22.25, 333.125, 4, 5, 6, 7, 8], [-1, 10, -100, 1000, 5, 6, 7]);
