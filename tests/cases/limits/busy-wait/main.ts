// The clock stands still while JavaScript runs: this loop never ends.
const end = Date.now() + 50;
while (Date.now() < end) {}
