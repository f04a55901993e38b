// Two modules that import each other: functions are hoisted, bindings are live.
import { isEven } from "./even.ts";
console.log(isEven(10), isEven(7));
