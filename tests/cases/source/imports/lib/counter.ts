console.log("counter evaluated");
export let count: number = 0;
export function increment(): void {
  count++;
}
export default "the default";
