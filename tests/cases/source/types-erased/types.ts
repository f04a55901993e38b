export interface Later { later: boolean }
export type AlsoLater = Partial<Later>;
export const value = 42;
