// Arguments count by what they take once they are parsed, not by their text.
const row = Array(1000).fill([0]);
const send = (rows: number) => mcp.nowhere.nothing({ x: Array(rows).fill(row) }).catch((e: any) => e.code);
console.log(await send(100));
console.log(await send(1000));
