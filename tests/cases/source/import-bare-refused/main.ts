// There is no node_modules and no node: nothing but relative imports.
import { readFileSync } from "node:fs";
console.log(readFileSync("/etc/passwd"));
