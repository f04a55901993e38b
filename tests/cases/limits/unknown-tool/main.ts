// A call of a tool that is not there fails with a code that the program can read.
const calls = [() => mcp.nowhere.nothing({ a: 1 }), () => mcp["odd-server"]["odd-tool"](), () => mcp.call("nowhere:by-name", {})];
for (const call of calls) {
  try {
    await call();
  } catch (error: any) {
    console.log(error.name, error.code, error.message, error instanceof Error, error.tool);
  }
}
