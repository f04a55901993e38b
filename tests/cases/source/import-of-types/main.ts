// A type that is imported without `type` is erased, also where a module passes it on.
import { area, type Unit, Shape } from "./shapes.ts";
import { Missing } from "not-installed";
const shape: Shape = { width: 2, height: 3 };
const unit: Unit | Missing = "cm";
console.log(area(shape), unit);
