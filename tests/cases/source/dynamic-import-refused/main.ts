// `import()` of a name that is only known when the program runs is refused when it gets there.
const name: string = "./lib.ts";
console.log("before");
console.log(await import(name));
