// A rejection that nobody handles fails the program; the others are told beside it.
Promise.reject(new TypeError("nobody looks"));
async function forgotten(): Promise<void> {
  throw new Error("forgotten");
}
void forgotten();
Promise.reject("handled").catch(() => {});
const late = Promise.reject(new Error("handled later"));
await null;
late.catch(() => {});
await new Promise((done) => setTimeout(done, 1));
return "the result";
