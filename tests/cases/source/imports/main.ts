// Relative imports: named, default, namespace, re-exported; evaluated once, in order, with live bindings.
import thing, { count, increment } from "./lib/counter.ts";
import * as everything from "./lib/index.ts";
import { renamed, counterAgain } from "./lib/index.ts";
import "./lib/effect.js";
increment();
increment();
console.log(thing, count, renamed, counterAgain === thing, Object.keys(everything));
console.log(Object.prototype.toString.call(everything), Object.isSealed(everything));
export default count;
