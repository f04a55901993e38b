// The same within the limit.
let refused = 0;
for (let i = 0; i < 9; i++) {
  try {
    await mcp.nowhere.nothing({ text: "x".repeat(100_000) });
  } catch {
    refused++;
  }
}
return refused;
