// An uncaught error shows its cause.
try {
  JSON.parse("{");
} catch (cause) {
  throw new Error("cannot read the settings", { cause });
}
