// Errors: causes, AggregateError, subclasses, finally, throwing anything, and their properties.
class NotFound extends Error {
  override name = "NotFound";
  constructor(readonly_what: string, options?: ErrorOptions) {
    super(`no ${readonly_what}`, options);
  }
}
const error = new NotFound("file", { cause: new TypeError("deep") });
console.log(String(error), error instanceof NotFound, error instanceof Error, (error.cause as Error).message);
console.log(Object.keys(error), "cause" in new Error("x"), "cause" in new Error("x", { cause: undefined }));
console.log(Object.getOwnPropertyDescriptor(error, "message")!.enumerable, typeof error.stack, error.stack!.includes("main.ts"));
const many = new AggregateError([new Error("a"), "b"], "several");
console.log(many.name, many.message, many.errors.length);
for (const thrown of [1, "text", null, undefined, { code: 5 }, Symbol("s")]) {
  try {
    throw thrown;
  } catch (caught) {
    console.log(caught === thrown, caught);
  }
}
function order() {
  const steps: string[] = [];
  try {
    try {
      throw new Error("one");
    } finally {
      steps.push("inner finally");
    }
  } catch {
    steps.push("outer catch");
  } finally {
    steps.push("outer finally");
  }
  return steps;
}
console.log(order());
const raise = (f: () => unknown) => { try { f(); return "nothing"; } catch (e) { return (e as Error).name; } };
console.log([
  () => (undefined as any).x,
  () => (notDefined as any),
  () => { tdz; let tdz = 1; },
  () => new Array(-1),
  () => (1).toFixed(101),
  () => "x".repeat(-1),
  () => decodeURIComponent("%"),
  () => JSON.parse("{"),
  () => new Function("return ("),
  () => { const fixed = 1; (eval as any)("0"); (fixed as any) = 2; },
  () => null instanceof (5 as any),
  () => Symbol() + "",
].map(raise));
declare const notDefined: unknown;
console.log(Object.prototype.toString.call(error), Error("no new") instanceof Error, Error.prototype.toString.call({ name: "N", message: "M" }));
