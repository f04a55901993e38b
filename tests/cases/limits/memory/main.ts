// Memory without end is stopped, and cannot be caught.
const hoard: number[][] = [];
try {
  for (;;) hoard.push(new Array(10_000).fill(hoard.length));
} catch {
  console.log("caught");
}
