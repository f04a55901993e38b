// Enters the program: gives it its inputs, waits for its modules, and takes the default export as its result.
(function () {
  "use strict";
  const { defineProperty } = Object;
  return async function enter(namespace, inputs, evaluated) {
    defineProperty(globalThis, "inputs", { __proto__: null, value: inputs, writable: true, configurable: true, enumerable: false });
    await evaluated;
    const main = namespace.default;
    return typeof main === "function" ? main(inputs) : main;
  };
})
