// The program ends with its result: timers that are still running are dropped.
setTimeout(() => console.log("never"), 60_000);
setInterval(() => console.log("never"), 60_000);
return "done";
