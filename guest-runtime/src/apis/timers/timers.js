// `setTimeout`, `setInterval` and their counterparts, made of the built-in tool `pml:sleep`: a timer is a call, and is
// journalled, replayed and withdrawn like one.
(function (natives, primordials) {
  "use strict";
  const { request, last, cancel, reportError } = natives;
  const { TypeError, MathFloor, ObjectCreate, ObjectDefineProperty, PromisePrototypeThen, ReflectApply } = primordials;
  const LONGEST = 2 ** 31 - 1;
  const waiting = ObjectCreate(null);
  let timers = 0;

  function milliseconds(delay) {
    const ms = MathFloor(+delay);
    return ms > 0 ? (ms > LONGEST ? LONGEST : ms) : 0;
  }

  function arm(timer, ms, fire) {
    const due = request("pml:sleep", { __proto__: null, ms });
    waiting[timer] = last();
    PromisePrototypeThen(due, fire);
  }

  // What a callback throws reaches nobody: it is kept as an error that the program did not handle.
  function run(callback, args) {
    try {
      ReflectApply(callback, undefined, args);
    } catch (error) {
      reportError(error);
    }
  }

  function callable(callback) {
    if (typeof callback !== "function") throw new TypeError("the callback of a timer must be a function");
  }

  function clear(timer) {
    const id = typeof timer === "number" || typeof timer === "string" ? waiting[timer] : undefined;
    if (id === undefined) return;
    delete waiting[timer];
    cancel(id);
  }

  const globals = {
    __proto__: null,
    setTimeout(callback, delay, ...args) {
      callable(callback);
      const timer = ++timers;
      arm(timer, milliseconds(delay), () => {
        delete waiting[timer];
        run(callback, args);
      });
      return timer;
    },
    setInterval(callback, delay, ...args) {
      callable(callback);
      const timer = ++timers;
      const ms = milliseconds(delay);
      const fire = () => {
        arm(timer, ms, fire);
        run(callback, args);
      };
      arm(timer, ms, fire);
      return timer;
    },
    clearTimeout: (timer) => clear(timer),
    clearInterval: (timer) => clear(timer),
  };

  for (const name in globals) {
    ObjectDefineProperty(globals[name], "name", { __proto__: null, value: name, configurable: true });
    primordials.defineGlobal(name, globals[name]);
  }
})
