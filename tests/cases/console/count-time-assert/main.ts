// count, time and assert; the clock stands still within a step, so a time is 0.
console.count();
console.count("label");
console.count();
console.countReset();
console.count();
console.countReset("unknown");
console.assert(true, "silent");
console.assert(false);
console.assert(1 > 2, "with %s", "text", { a: 1 });
console.assert(false, { only: "object" });
console.time("t");
console.timeLog("t", "extra", 1);
console.timeEnd("t");
console.timeEnd("t");
console.time("t");
console.time("t");
