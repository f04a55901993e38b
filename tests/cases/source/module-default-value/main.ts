// A module's default export is the result.
export const helper = (n: number): number => n + 1;
const numbers: number[] = await Promise.all([1, 2].map(async (n) => helper(n)));
export default { numbers };
