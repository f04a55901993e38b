// An error in an imported module shows that module's own line.
import { check } from "./lib/check.ts";
console.log("before");
check();
