console.log("index evaluated");
export { increment as renamed_function, default as counterAgain } from "./counter.ts";
export * from "./constants.ts";
export * as constants from "./constants.ts";
