// `import x = require()` is CommonJS, which has to be compiled.
import fs = require("fs");
console.log(fs);
