// An import of a file that is not there says who asks for it.
import { helper } from "./helpers/nothing.ts";
console.log(helper);
