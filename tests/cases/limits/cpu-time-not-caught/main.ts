// A program cannot catch the end of its CPU time, nor keep running in finally.
try {
  while (true) {}
} catch {
  console.log("caught");
} finally {
  console.log("finally");
}
