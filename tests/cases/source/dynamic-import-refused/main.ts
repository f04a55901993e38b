// `import()` of a name that is only known when the program runs is refused before it runs.
const name: string = "./lib.ts";
console.log("never");
console.log(await import(name));
