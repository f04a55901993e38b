// Expectations are those of the DOM standard. (node v20 differs in the order of capturing listeners and in when `any` aborts.)
const log = [];
const take = () => log.splice(0).join();
test("abort once, with a reason", () => {
  const controller = new AbortController();
  const { signal } = controller;
  same([signal.aborted, signal.reason], [false, undefined]);
  signal.throwIfAborted();
  signal.onabort = (event) => log.push("on", event.type, event.target === signal, event.isTrusted);
  signal.addEventListener("abort", () => log.push("listener"));
  controller.abort();
  controller.abort("again");
  equal(take(), "on,abort,true,true,listener");
  same([signal.aborted, signal.reason.name, signal.reason.code, signal.reason.message], [true, "AbortError", 20, "This operation was aborted"]);
  throws(() => signal.throwIfAborted(), "AbortError");
  equal(AbortSignal.abort("why").reason, "why");
  equal(controller.signal, signal);
});
test("onabort can be changed and cleared", () => {
  const controller = new AbortController();
  controller.signal.onabort = () => log.push("a");
  controller.signal.addEventListener("abort", () => log.push("b"));
  controller.signal.onabort = () => log.push("c");
  controller.abort();
  equal(take(), "c,b");
  const other = new AbortController();
  other.signal.onabort = () => log.push("a");
  other.signal.onabort = null;
  other.abort();
  equal(take(), "");
  other.signal.onabort = 5;
  equal(other.signal.onabort, null);
});
test("timeout", () => {
  const signal = AbortSignal.timeout(50);
  const { run, ms } = timers.pop();
  equal(ms, 50);
  equal(signal.aborted, false);
  run();
  equal(signal.reason.name, "TimeoutError");
  throws(() => AbortSignal.timeout(-1), "TypeError");
  throws(() => AbortSignal.timeout(), "TypeError");
  throws(() => AbortSignal.timeout("x"), "TypeError");
});
test("any", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const both = AbortSignal.any([a.signal, b.signal]);
  const nested = AbortSignal.any([both, AbortSignal.any([])]);
  both.addEventListener("abort", () => log.push("both", nested.aborted));
  nested.addEventListener("abort", () => log.push("nested"));
  b.signal.addEventListener("abort", () => log.push("b", both.aborted));
  b.abort("r");
  a.abort("s");
  equal(take(), "b,true,both,true,nested");
  same([both.reason, nested.reason], ["r", "r"]);
  equal(AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason, 1);
  throws(() => AbortSignal.any([{}]), "TypeError");
  throws(() => AbortSignal.any(), "TypeError");
});
test("no forging", () => {
  throws(() => new AbortSignal(), "TypeError", "Illegal constructor");
  equal(hooks.isAbortSignal({ __proto__: AbortSignal.prototype }), false);
  equal(hooks.isAbortSignal(new AbortController().signal), true);
  equal(hooks.isAbortSignal(undefined), false);
  throws(() => AbortController.prototype.abort.call({}), "TypeError");
});
test("hooks run before listeners and can be removed", () => {
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => log.push("listener"));
  const remove = hooks.addAbortAlgorithm(controller.signal, () => log.push("removed"));
  hooks.addAbortAlgorithm(controller.signal, () => log.push("hook", hooks.abortReason(controller.signal)));
  remove();
  remove();
  controller.abort("r");
  equal(take(), "hook,r,listener");
  hooks.addAbortAlgorithm(controller.signal, () => log.push("late"))();
  equal(take(), "");
  equal(hooks.isAborted(controller.signal), true);
});
test("listeners: once, order, removal, duplicates, objects", () => {
  const target = new EventTarget();
  const listener = { handleEvent(event) { log.push(this === listener, event.type); } };
  target.addEventListener("x", listener);
  target.addEventListener("x", listener);
  target.addEventListener("x", function () { log.push(this === target); }, { once: true });
  target.addEventListener("x", () => log.push("capture"), { capture: true });
  target.addEventListener("x", null);
  target.dispatchEvent(new Event("x"));
  equal(take(), "capture,true,x,true");
  target.dispatchEvent(new Event("x"));
  equal(take(), "capture,true,x");
  target.removeEventListener("x", listener, true);
  target.removeEventListener("x", listener);
  target.dispatchEvent(new Event("x"));
  equal(take(), "capture");
  throws(() => target.addEventListener("x", 5), "TypeError");
  throws(() => target.dispatchEvent({ type: "x" }), "TypeError");
});
test("listeners added or removed while an event is under way", () => {
  const target = new EventTarget();
  const second = () => log.push("second");
  target.addEventListener("x", () => { log.push("first"); target.removeEventListener("x", second); target.addEventListener("x", () => log.push("late")); }, { once: true });
  target.addEventListener("x", second);
  target.dispatchEvent(new Event("x"));
  equal(take(), "first");
  target.dispatchEvent(new Event("x"));
  equal(take(), "late");
});
test("a listener's signal removes it", () => {
  const target = new EventTarget();
  const controller = new AbortController();
  target.addEventListener("x", () => log.push("x"), { signal: controller.signal });
  target.dispatchEvent(new Event("x"));
  controller.abort();
  target.dispatchEvent(new Event("x"));
  target.addEventListener("x", () => log.push("x"), { signal: controller.signal });
  target.dispatchEvent(new Event("x"));
  equal(take(), "x");
  throws(() => target.addEventListener("x", () => {}, { signal: {} }), "TypeError");
});
test("errors of listeners are reported and stop nobody", () => {
  const target = new EventTarget();
  target.addEventListener("x", () => { throw "oops"; });
  target.addEventListener("x", {});
  target.addEventListener("x", () => log.push("next"));
  equal(target.dispatchEvent(new Event("x")), true);
  equal(take(), "next");
  equal(errors.length, 2);
  equal(errors[0], "oops");
  equal(errors[1].name, "TypeError");
});
test("events", () => {
  const event = new Event("x", { cancelable: true, bubbles: 1 });
  same([event.type, event.bubbles, event.cancelable, event.composed, event.timeStamp, event.eventPhase, event.isTrusted, Event.AT_TARGET], ["x", true, true, false, 12.5, 0, false, 2]);
  const target = new EventTarget();
  target.addEventListener("x", (e) => { e.preventDefault(); e.stopImmediatePropagation(); log.push(e.eventPhase, e.currentTarget === target, e.composedPath().length); throws(() => target.dispatchEvent(e), "InvalidStateError"); });
  target.addEventListener("x", () => log.push("never"));
  equal(target.dispatchEvent(event), false);
  equal(take(), "2,true,1");
  same([event.defaultPrevented, event.target === target, event.currentTarget, event.composedPath()], [true, true, null, []]);
  const plain = new Event("y");
  plain.preventDefault();
  equal(plain.defaultPrevented, false);
  throws(() => new Event(), "TypeError");
});
test("subclasses", () => {
  class Mine extends EventTarget { constructor() { super(); this.x = 1; } }
  class Message extends Event { constructor(data) { super("message"); this.data = data; } }
  const mine = new Mine();
  mine.addEventListener("message", ({ data }) => log.push(data));
  mine.dispatchEvent(new Message("hi"));
  equal(take(), "hi");
  equal(Object.prototype.toString.call(new AbortController().signal), "[object AbortSignal]");
});
test("a replaced addEventListener changes nothing", () => {
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = () => log.push("forged");
  const controller = new AbortController();
  controller.signal.onabort = () => log.push("real");
  controller.abort();
  EventTarget.prototype.addEventListener = addEventListener;
  equal(take(), "real");
});
test("a hostile program harms only itself", () => {
  const text = inHostileProgram(() => {
    let text;
    const controller = new AbortController();
    controller.signal.addEventListener("abort", () => { text = "heard"; });
    controller.abort();
    return text;
  });
  equal(text, "heard");
});
