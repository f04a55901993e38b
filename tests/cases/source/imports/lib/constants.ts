console.log("constants evaluated");
const original = "renamed value";
export { original as renamed };
export type Unused = string;
