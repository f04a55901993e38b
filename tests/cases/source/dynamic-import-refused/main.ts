// `import()` of anything else is refused, and the program can catch it.
for (const name of ["node:fs", "./missing.ts", "../outside.ts", "lodash"]) {
  try {
    await import(name);
    console.log("imported", name);
  } catch (error) {
    console.log((error as Error).name, (error as Error).message);
  }
}
