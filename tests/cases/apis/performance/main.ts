// performance.now starts near zero, moves only between steps, and never goes back.
const start = performance.now();
for (let i = 0; i < 10_000; i++);
console.log(start >= 0, start < 5_000, performance.now() === start);
await new Promise((done) => setTimeout(done, 20));
const later = performance.now();
console.log(later - start >= 19, performance.now() >= later, typeof performance.timeOrigin, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 5);
