// `import()` works for files that the program names.
const { default: value, named } = await import("./lib.ts");
console.log(value, named);
const again = await import("./lib.ts");
console.log(again.default === value);
