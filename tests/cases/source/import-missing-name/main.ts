// An import of a name that the module does not export.
import { present, absent } from "./lib.ts";
console.log(present, absent);
