// Inputs that are not JSON are a mistake of usage, before anything runs.
console.log("never");
