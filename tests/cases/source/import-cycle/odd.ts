import { evenReady, isEven } from "./even.ts";
export function isOdd(n: number): boolean {
  return n !== 0 && isEven(n - 1);
}
try {
  console.log(evenReady);
} catch (error) {
  console.log("too early:", (error as Error).name);
}
