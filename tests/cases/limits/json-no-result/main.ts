// With `--json` a program without a result prints null.
console.log("only this");
