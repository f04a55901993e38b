// Waiting counts for `--timeout`, not for `--cpu-time`.
console.log("before");
await new Promise((done) => setTimeout(done, 60_000));
