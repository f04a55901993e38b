// Type-only imports are erased with the file they name: it need not be there.
import type { A } from "./nowhere.ts";
import { type B } from "./side-effect.ts";
import type Everything from "left-pad";
export type { C } from "./nowhere.ts";
const value: A | B | Everything = 1;
console.log(value);
