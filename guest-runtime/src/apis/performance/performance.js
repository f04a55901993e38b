// `performance`: the program's clock. `natives.now()` gives milliseconds since the program's start, `natives.timeOrigin()`
// that start as milliseconds since 1970.
(function (natives, primordials) {
  "use strict";
  const { ObjectDefineProperty, TypeError, defineEnumerable, defineGlobal, defineHidden, defineTag } = primordials;
  const { now, timeOrigin } = natives;
  const KEY = { __proto__: null };

  class Performance {
    #brand = true;
    constructor(key) {
      if (key !== KEY) throw new TypeError("Illegal constructor");
    }
    get timeOrigin() {
      this.#brand;
      return timeOrigin();
    }
    toJSON() {
      this.#brand;
      return { timeOrigin: timeOrigin() };
    }
  }

  ObjectDefineProperty(now, "name", { __proto__: null, value: "now", configurable: true });
  defineHidden(Performance.prototype, "now", now);
  defineTag(Performance, "Performance");
  defineEnumerable(Performance.prototype, "now timeOrigin toJSON");
  defineGlobal("Performance", Performance);
  defineGlobal("performance", new Performance(KEY));
})
