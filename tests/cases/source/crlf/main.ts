// Windows line ends, also in template literals, where they count as \n.
const text: string = `a
b`;
console.log(JSON.stringify(text));
missing();
