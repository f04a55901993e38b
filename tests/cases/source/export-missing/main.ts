// A name that a module does not export is found before anything runs.
import { totl } from "./lib.ts";
console.log("never", totl);
