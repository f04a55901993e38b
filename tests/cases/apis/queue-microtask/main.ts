// Microtasks run in order, before any timer.
const log: string[] = [];
setTimeout(() => log.push("timer"), 0);
queueMicrotask(() => {
  log.push("one");
  queueMicrotask(() => log.push("three"));
});
Promise.resolve().then(() => log.push("two"));
await new Promise((done) => setTimeout(done, 5));
console.log(log);
try {
  queueMicrotask("no function" as any);
} catch (error) {
  console.log((error as Error).name);
}
