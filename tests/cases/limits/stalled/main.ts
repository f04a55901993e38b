// A promise that nothing can settle any more is reported at once, not after the timeout.
console.log("waiting");
await new Promise(() => {});
console.log("never");
