// Enters the program: waits for its modules, and takes the default export as its result.
//
// A function body is called with `natives.lastExpression`, to which it gives the value of its last expression.
(function (natives, primordials) {
  "use strict";
  const { classOf, classes, defineHidden, descriptorOf } = primordials;
  const { DOMException, FunctionPrototypeToString, ObjectSetPrototypeOf, StringPrototypeStartsWith, TypeError } = primordials;
  const { lastExpression } = natives;

  // Only the `prototype` of a class cannot be replaced; that of a built-in constructor cannot either, but has no source.
  function isClass(value) {
    if (classOf(value) !== classes.Function) return false;
    const prototype = descriptorOf(value, "prototype");
    return prototype !== undefined && prototype.writable === false && StringPrototypeStartsWith(FunctionPrototypeToString(value), "class");
  }

  async function enter(namespace, inputs, evaluated, isBody) {
    await evaluated;
    const main = namespace.default;
    if (typeof main !== "function") return main;
    if (isBody) return main(lastExpression);
    return isClass(main) ? main : main(inputs);
  }

  // What a program catches when an import is refused. Its stack is made where it is thrown, at the program's `await`: see
  // `toolError` in `mcp.js`.
  function importError(message) {
    const error = new DOMException(message, "TypeError");
    delete error.stack;
    ObjectSetPrototypeOf(error, TypeError.prototype);
    defineHidden(error, "message", message);
    defineHidden(error, "code", "IMPORT_REFUSED");
    return error;
  }

  return { __proto__: null, enter, importError, isClass };
})
