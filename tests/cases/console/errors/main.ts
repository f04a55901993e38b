// Errors in output: name and message, properties, causes, AggregateError; without stacks here.
const quiet = <E extends Error>(error: E): E => (Object.defineProperty(error, "stack", { value: `${error.name}: ${error.message}` }), error);
class Custom extends Error { override name = "Custom"; code = 7; }
console.log(quiet(new Error("plain")));
console.log([quiet(new TypeError("in an array"))], { e: quiet(new RangeError("in an object")) });
console.log(quiet(Object.assign(new Error("with"), { code: "E_CODE", details: { a: 1 } })));
console.log(quiet(new Error("outer", { cause: quiet(new Error("inner", { cause: "root" })) })));
console.log(quiet(new AggregateError([quiet(new Error("one")), "two"], "many")));
console.log(quiet(new Custom("own class")));
console.log(quiet(new Error("")), quiet(new Error("two\nlines")));
console.log("message:", quiet(new Error("after text")).message, `${new Error("in a template")}`);
