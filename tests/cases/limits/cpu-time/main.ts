// A loop without end is stopped by the CPU time limit.
console.log("before");
while (true) {}
