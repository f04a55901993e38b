export const old: string = "old";
