import { Shape, Unit } from "./types.ts";
export { Shape, Unit };
export const area = (shape: Shape) => shape.width * shape.height;
