// `mcp`: every call a program can make.
//
//   mcp.github.search(args, { signal })     mcp["odd-name"]["tool-name"](args)     mcp.call("server:tool", args)
//
// `mcp` and each server are plain objects whose prototype is a proxy: the first use of a name goes through the proxy's
// trap and leaves a property behind, so that the next use is an ordinary property read.
//
// Invariant: a promise probe (`then`), a serializer (`toJSON`) or a symbol never names a tool.
(function (natives, abort) {
  "use strict";
  const { request, last, cancel } = natives;
  const { create, defineProperty } = Object;
  const { includes } = String.prototype;
  const { apply } = Reflect;
  const ProxyObject = Proxy;
  const then = Promise.prototype.then;
  const reject = ((reject) => (reason) => apply(reject, PromiseObject, [reason]))(Promise.reject);
  const PromiseObject = Promise;
  const NONE = create(null);

  function call(tool, args, options) {
    try {
      const signal = options === undefined || options === null ? undefined : options.signal;
      if (signal === undefined) return request(tool, args === undefined ? NONE : args);
      if (!abort.isAbortSignal(signal)) throw new TypeError("the `signal` of a call must be an AbortSignal");
      if (signal.aborted) return reject(abort.abortReason(signal));
      const promise = request(tool, args === undefined ? NONE : args);
      const id = last();
      const forget = abort.addAbortAlgorithm(signal, () => cancel(id, abort.abortReason(signal)));
      apply(then, promise, [forget, forget]);
      return promise;
    } catch (error) {
      return reject(error);
    }
  }

  // An object that makes a property of each name it is asked for.
  function lazily(make, fixed) {
    const names = create(
      new ProxyObject(create(null), {
        __proto__: null,
        get(_, name) {
          if (typeof name !== "string" || name === "then" || name === "toJSON" || name === "valueOf" || name === "constructor") return undefined;
          const value = make(name);
          keep(names, name, value);
          return value;
        },
        has: () => false,
        getPrototypeOf: () => null,
        setPrototypeOf: () => false,
        set: (_, name, value, receiver) => (keep(receiver, name, value), true),
      }),
    );
    for (const name in fixed) keep(names, name, fixed[name]);
    return names;
  }

  function keep(object, name, value) {
    defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  }

  function server(name) {
    if (apply(includes, name, [":"])) throw new TypeError(`a server name has no colon: ${name}`);
    return lazily((tool) => toolOf(`${name}:${tool}`, tool), { __proto__: null, toString: () => `mcp.${name}` });
  }

  function toolOf(id, name) {
    const tool = (args, options) => call(id, args, options);
    defineProperty(tool, "name", { __proto__: null, value: name, configurable: true });
    return tool;
  }

  const mcp = lazily(server, {
    __proto__: null,
    toString: () => "mcp",
    call(tool, args, options) {
      if (typeof tool !== "string" || !apply(includes, tool, [":"]))
        return reject(new TypeError("the first argument of mcp.call is `server:tool`"));
      return call(tool, args, options);
    },
  });
  defineProperty(globalThis, "mcp", { __proto__: null, value: mcp, writable: true, configurable: true, enumerable: false });
})
