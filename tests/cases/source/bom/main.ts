// A byte order mark at the start is no part of the program.
const text: string = "read";
console.log(text);
