// `import()` of something that is refused fails where it stands, and can be caught.
for (const load of [() => import("node:fs"), () => import("./absent.ts"), () => import("zod" + "")]) {
  try {
    await load();
  } catch (error) {
    console.log(error.code, error.message);
  }
}
const { readFile } = await import("node:fs/promises");
return readFile;
