// `setTimeout`, `setInterval` and their counterparts, made of the built-in tool `pml:sleep`: a timer is a call, and is
// journalled, replayed and withdrawn like one.
(function (natives) {
  "use strict";
  const { request, last, cancel } = natives;
  const { create, defineProperty } = Object;
  const { apply } = Reflect;
  const { floor } = Math;
  const then = Promise.prototype.then;
  const LONGEST = 2 ** 31 - 1;
  const waiting = create(null);
  let timers = 0;

  function milliseconds(delay) {
    const ms = floor(+delay);
    return ms > 0 ? (ms > LONGEST ? LONGEST : ms) : 0;
  }

  function arm(timer, ms, fire) {
    const due = request("pml:sleep", { __proto__: null, ms });
    waiting[timer] = last();
    apply(then, due, [fire]);
  }

  function callable(callback) {
    if (typeof callback !== "function") throw new TypeError("the callback of a timer must be a function");
  }

  const globals = {
    __proto__: null,
    setTimeout(callback, delay, ...args) {
      callable(callback);
      const timer = ++timers;
      arm(timer, milliseconds(delay), () => {
        delete waiting[timer];
        apply(callback, undefined, args);
      });
      return timer;
    },
    setInterval(callback, delay, ...args) {
      callable(callback);
      const timer = ++timers;
      const ms = milliseconds(delay);
      const fire = () => {
        arm(timer, ms, fire);
        apply(callback, undefined, args);
      };
      arm(timer, ms, fire);
      return timer;
    },
    clearTimeout: clear,
    clearInterval: (timer) => clear(timer),
  };

  function clear(timer) {
    const id = typeof timer === "symbol" ? undefined : waiting[timer];
    if (id === undefined) return;
    delete waiting[timer];
    cancel(id);
  }

  for (const name in globals) {
    defineProperty(globals[name], "name", { __proto__: null, value: name, configurable: true });
    defineProperty(globalThis, name, { __proto__: null, value: globals[name], writable: true, configurable: true, enumerable: false });
  }
})
