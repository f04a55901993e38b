// What native QuickJS gets in place of the guest's prelude: `mcp`, and a way in. Needs `__request` and `__done`.
(() => {
  const pending = new Map(), request = globalThis.__request, done = globalThis.__done;
  let next = 0;
  const call = (tool) => (args) => new Promise((resolve, reject) => {
    pending.set(++next, [resolve, reject]);
    request(next, tool, JSON.stringify(args) ?? "null");
  });
  globalThis.mcp = new Proxy({}, { get: (_, server) => new Proxy({}, { get: (_, tool) => call(tool) }) });
  globalThis.__settle = (id, ok, json) => {
    const [resolve, reject] = pending.get(id);
    pending.delete(id);
    ok ? resolve(JSON.parse(json)) : reject(new Error(json));
  };
  globalThis.__run = (program) => program().then((v) => done(true, JSON.stringify(v) ?? "null"), (e) => done(false, String(e)));
})();
