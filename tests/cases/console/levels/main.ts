// log, info, debug and dir go to stdout; warn, error and trace to stderr.
console.log("log");
console.info("info %d", 1);
console.debug("debug");
console.dir({ a: { b: { c: { d: 1 } } } });
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.warn("warn");
console.error("error", { a: 1 });
console.log(typeof console.trace, Object.prototype.toString.call(console));
const { log } = console;
log("unbound");
[1, 2].forEach(console.log);
