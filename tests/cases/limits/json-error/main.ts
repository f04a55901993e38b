// With `--json` stdout is one line, also for a failure.
console.log("to stderr");
throw new RangeError("out of range");
