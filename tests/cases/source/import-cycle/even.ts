import { isOdd } from "./odd.ts";
export function isEven(n: number): boolean {
  return n === 0 || isOdd(n - 1);
}
export const evenReady = true;
