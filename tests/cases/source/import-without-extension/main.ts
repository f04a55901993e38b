// Names are completed as TypeScript and bundlers do it.
import { part } from "./lib/part";
import { whole } from "./lib";
import { old } from "./lib/old.js";
import { plain } from "./lib/plain.cjs";
console.log(part, whole, old, plain);
