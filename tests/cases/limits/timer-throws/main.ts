// What a timer's callback throws fails the program, as it does everywhere.
setTimeout(() => {
  throw new Error("in the timer");
}, 1);
await new Promise((done) => setTimeout(done, 5));
console.log("goes on");
return "never printed";
