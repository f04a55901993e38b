// A URL is not a relative path.
import { z } from "https://esm.sh/zod";
console.log(z);
