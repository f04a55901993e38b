// Format strings: %s %d %i %f %j %o %O %c %%, missing and surplus arguments.
console.log("%s is %d years and %i, %f", "Ada", 36.5, 36.9, "1.5", "surplus", { a: 1 });
console.log("%o | %O | %j", { a: [1] }, { a: { b: { c: { d: 1 } } } }, { json: [1] });
console.log("%c styled %% %x %s", "color: red", "arg");
console.log("%s %s %s %s %s %s", null, undefined, 1n, Symbol("s"), { a: 1 }, [1, [2]], "%s");
console.log("%s|%s|%s", -0, () => 1, { toString: null });
console.log("%d %d %d %i %f", "12", {}, 5n, "x", "y");
console.log("100%", 5, "%s", "not first");
console.log("%s missing", "one", "%d");
console.log("%s %s");
console.log(1, "%s", 2);
