// `mcp`: every call a program can make.
//
//   mcp.github.search(args, { signal })     mcp["odd-name"]["tool-name"](args)     mcp.call("server:tool", args)
//
// `mcp` and each server are plain objects whose prototype is a proxy: the first use of a name goes through the proxy's
// trap and leaves a property behind, so that the next use is an ordinary property read.
//
// Invariant: a promise probe (`then`), a serializer (`toJSON`) or a symbol never names a tool.
(function (natives, primordials, abort) {
  "use strict";
  const { request, rejected, last, cancel } = natives;
  const { DOMException, Error, Proxy, TypeError, PromisePrototypeThen, StringPrototypeIncludes } = primordials;
  const { ObjectCreate, ObjectDefineProperty, ObjectSetPrototypeOf } = primordials;
  const { defineGlobal, defineHidden } = primordials;
  const { isAbortSignal, isAborted, abortReason, addAbortAlgorithm } = abort;
  const NONE = ObjectCreate(null);
  // Asked for by conversions of a value, not by its author.
  const NEVER = { __proto__: null, then: true, toJSON: true, valueOf: true, constructor: true };

  function call(tool, args, options) {
    try {
      const signal = options === undefined || options === null ? undefined : options.signal;
      if (signal === undefined) return request(tool, args === undefined ? NONE : args);
      if (!isAbortSignal(signal)) throw new TypeError("the `signal` of a call must be an AbortSignal");
      if (isAborted(signal)) return rejected(abortReason(signal));
      const promise = request(tool, args === undefined ? NONE : args);
      const id = last();
      // Writing the arguments ran code of the program, which may have aborted meanwhile.
      if (isAborted(signal)) cancel(id, abortReason(signal));
      const forget = addAbortAlgorithm(signal, () => cancel(id, abortReason(signal)));
      PromisePrototypeThen(promise, forget, forget);
      return promise;
    } catch (error) {
      return rejected(error);
    }
  }

  // An object that makes a property of each name it is asked for.
  function lazily(make, fixed) {
    const names = ObjectCreate(
      new Proxy(ObjectCreate(null), {
        __proto__: null,
        get(_, name) {
          if (typeof name !== "string" || NEVER[name]) return undefined;
          const value = make(name);
          defineHidden(names, name, value);
          return value;
        },
        has: () => false,
        getPrototypeOf: () => null,
        setPrototypeOf: () => false,
        set: (_, name, value, receiver) => (defineHidden(receiver, name, value), true),
      }),
    );
    for (const name in fixed) defineHidden(names, name, fixed[name]);
    return names;
  }

  function server(name) {
    if (StringPrototypeIncludes(name, ":")) throw new TypeError("a server name has no colon: " + name);
    const toString = () => "mcp." + name;
    return lazily((tool) => toolOf(name + ":" + tool, tool), { __proto__: null, toString });
  }

  function toolOf(id, name) {
    const tool = (args, options) => call(id, args, options);
    ObjectDefineProperty(tool, "name", { __proto__: null, value: name, configurable: true });
    return tool;
  }

  const ToolErrorPrototype = ObjectCreate(Error.prototype);
  defineHidden(ToolErrorPrototype, "name", "ToolError");

  // What a program catches when a call fails. QuickJS gives an `Error` its stack when it is made, which here is while no
  // JavaScript runs; a DOMException that has lost its stack gets another where it is thrown, at the program's `await`.
  function toolError(tool, code, message, data) {
    const error = new DOMException(message, "ToolError");
    delete error.stack;
    ObjectSetPrototypeOf(error, ToolErrorPrototype);
    defineHidden(error, "message", message);
    show(error, "code", code);
    show(error, "tool", tool);
    if (data !== undefined) show(error, "data", data);
    // What the tool answered, block by block, where it says itself that it failed.
    if (typeof data === "object" && data !== null && data.content !== undefined) show(error, "content", data.content);
    return error;
  }

  function show(object, name, value) {
    ObjectDefineProperty(object, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  }

  defineGlobal(
    "mcp",
    lazily(server, {
      __proto__: null,
      toString: () => "mcp",
      call(tool, args, options) {
        if (typeof tool !== "string" || !StringPrototypeIncludes(tool, ":"))
          return rejected(new TypeError("the first argument of mcp.call is `server:tool`"));
        return call(tool, args, options);
      },
    }),
  );
  return toolError;
})
