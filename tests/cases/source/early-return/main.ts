// A return ends the program, finally blocks included, and leaves the rest alone.
const limit: number = 2;
for (let n = 0; ; n++) {
  try {
    if (n === limit) return `stopped at ${n}`;
  } finally {
    console.log("finally", n);
  }
}
console.log("unreachable");
