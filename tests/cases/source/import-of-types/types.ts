export interface Shape { width: number; height: number }
export type Unit = string;
