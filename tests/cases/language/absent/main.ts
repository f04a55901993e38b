// What a program does not find: the host's APIs, Intl, weak references, shared memory.
const names = [
  "Intl", "WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "WebAssembly",
  "fetch", "XMLHttpRequest", "WebSocket", "require", "module", "exports", "process", "Buffer", "global", "__dirname", "__filename",
  "setImmediate", "window", "self", "document", "navigator", "localStorage", "Deno", "Bun", "std", "os", "print", "gc",
];
console.log(names.filter((name) => name in globalThis));
console.log(typeof fetch, typeof require, typeof process, typeof Intl);
try {
  await fetch("https://example.com");
} catch (error) {
  console.log((error as Error).name);
}
console.log("ä".localeCompare("b") > 0, "a".localeCompare("b"), ["b", "a", "C"].sort((x, y) => x.localeCompare(y)));
console.log((1234.5).toLocaleString(), (10n).toLocaleString(), [1, 2].toLocaleString(), "İ".toLocaleLowerCase().length);
console.log("e\u0301".normalize("NFC").length, "ß".toUpperCase(), "Σ".toLowerCase());
