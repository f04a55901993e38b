// Timers: order by due time, arguments, clearing, intervals, and microtasks in between.
const log: string[] = [];
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
setTimeout(() => log.push("20"), 20);
setTimeout((a: string, b: number) => log.push(`args ${a} ${b}`), 5, "x", 1);
setTimeout(() => { log.push("first 0"); Promise.resolve().then(() => log.push("its microtask")); }, 0);
setTimeout(() => log.push("second 0"), 0);
const never = setTimeout(() => log.push("never"), 10);
clearTimeout(never);
clearTimeout(undefined);
clearTimeout(12345);
let ticks = 0;
const { promise: ticked, resolve } = Promise.withResolvers<void>();
const interval = setInterval(() => {
  log.push(`tick ${++ticks}`);
  if (ticks === 3) {
    clearInterval(interval);
    resolve();
  }
}, 30);
queueMicrotask(() => log.push("microtask"));
log.push("sync");
const before = Date.now();
await ticked;
console.log(log);
console.log(Date.now() - before >= 90, typeof interval === typeof never);
await sleep(-5);
await sleep(NaN);
console.log("negative is 0");
