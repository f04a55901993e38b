#!/usr/bin/env -S pml run
// A first line that names the interpreter is skipped, and counted.
const here: string = new Error("x").stack!;
console.log(/main\.ts:(\d+)/.exec(here)![1]);
