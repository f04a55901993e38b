// The CPU set. Each `mark` is a host call; the host's clock between two marks is the time of that piece.
const mark = (at) => mcp.t.mark({ at });
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
await mark("");
const f = fib(27);
await mark("fib27");
const rows = [];
for (let i = 0; i < 13500; i++) rows.push({ id: i, name: "item " + i, tags: ["a", "b", "c"], price: i * 1.25, ok: i % 2 === 0 });
let text = JSON.stringify({ rows });
await mark("");
for (let i = 0; i < 10; i++) text = JSON.stringify(JSON.parse(text));
await mark("json 1MB x10");
const a = [];
for (let i = 0, x = 42; i < 200000; i++) { x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff; a.push(x); }
await mark("");
a.sort((p, q) => p - q);
await mark("sort 200k");
let s = "";
for (let i = 0; i < 150000; i++) s += "word" + (i % 97) + " ";
const hits = s.match(/word\d7 /g).length, loud = s.replace(/[aeiou]/g, (c) => c.toUpperCase()).length;
await mark("string+regex 1MB");
return [f, text.length, a[100000], s.length, hits, loud];
