// What the journal keeps of a run is bounded, and going over it cannot be caught.
console.log("before");
for (;;) {
  try {
    await mcp.nowhere.nothing({ text: "x".repeat(100_000) });
  } catch {
    // Refused, and written down all the same.
  }
}
