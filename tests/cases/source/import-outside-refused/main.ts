// An import cannot leave the folder of the program.
import secret from "../../secret.ts";
console.log(secret);
