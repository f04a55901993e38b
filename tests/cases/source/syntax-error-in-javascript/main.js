// A .js file is JavaScript: types in it are a mistake.
const n = 1;
const typed: number = n;
