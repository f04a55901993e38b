import { part } from "./part";
export const whole = `whole of ${part}`;
