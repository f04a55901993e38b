// AbortController and AbortSignal: reasons, listeners once, any, timeout, throwIfAborted.
const controller = new AbortController();
const { signal } = controller;
const events: string[] = [];
signal.addEventListener("abort", () => events.push("listener"));
signal.addEventListener("abort", () => events.push("once"), { once: true });
const removed = () => events.push("removed");
signal.addEventListener("abort", removed);
signal.removeEventListener("abort", removed);
signal.onabort = (event) => events.push(`onabort ${event.type} ${event.target === signal}`);
console.log(signal.aborted, signal.reason);
controller.abort();
controller.abort("again");
console.log(signal.aborted, signal.reason.name, signal.reason instanceof DOMException, signal.reason instanceof Error, events);
try {
  signal.throwIfAborted();
} catch (error) {
  console.log((error as Error).name, (error as Error).message);
}
console.log(AbortSignal.abort("why").reason, AbortSignal.any([new AbortController().signal, AbortSignal.abort(7)]).reason);
const late = new AbortController();
const any = AbortSignal.any([late.signal]);
late.abort("later");
console.log(any.aborted, any.reason);
const timeout = AbortSignal.timeout(5);
await new Promise<void>((done) => timeout.addEventListener("abort", () => done()));
console.log(timeout.reason.name);
try {
  new (AbortSignal as any)();
} catch (error) {
  console.log((error as Error).name);
}
