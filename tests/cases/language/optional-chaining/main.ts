// Optional chaining, nullish coalescing, logical assignment, exponent, numeric separators.
const data: any = { user: { name: "Ada", tags: ["x"], greet() { return `hi ${this.name}`; } }, zero: 0, empty: "", nothing: null };
console.log(data.user?.name, data.nobody?.name.first.deep, data.user?.["name"], data.user?.tags?.[0], data.user?.greet?.(), data.user?.missing?.());
console.log(data.zero ?? 1, data.zero || 1, data.nothing ?? "fallback", data.empty ?? "fallback", data?.user!.name);
let calls = 0;
const count = () => ++calls;
data.nothing?.[count()];
data.nothing?.call(count());
console.log(calls, delete data?.user?.tags, delete data.nobody?.x, data.user);
data.zero ||= 5;
data.zero &&= data.zero + 1;
data.nothing ??= "set";
data.nothing ??= "again";
console.log(data.zero, data.nothing, 2 ** 3 ** 2, (-2) ** 2, 1_000.5, 0b101, 0o17, 0xff);
console.log((data.user?.greet)(), typeof data.a?.b);
