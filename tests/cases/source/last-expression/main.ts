// The value of a last expression statement is the result.
const parts: string[] = ["a", "b"];
const total = parts.length + 40;
({ total, parts, nested: { ok: true } })
