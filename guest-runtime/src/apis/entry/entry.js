// Enters the program: waits for its modules, and takes the default export as its result.
(function () {
  "use strict";
  return async function enter(namespace, inputs, evaluated) {
    await evaluated;
    const main = namespace.default;
    return typeof main === "function" ? main(inputs) : main;
  };
})
