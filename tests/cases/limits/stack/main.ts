// Recursion without end is an error that the program can catch.
let depth = 0;
const recurse = (): number => ++depth && recurse() + 1;
try {
  recurse();
} catch (error) {
  console.log((error as Error).name, depth > 500);
}
try {
  JSON.parse("[".repeat(100_000));
} catch (error) {
  console.log((error as Error).name);
}
console.log("still fine");
