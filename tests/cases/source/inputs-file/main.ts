// `--inputs @file` reads the JSON from a file.
return Object.entries(inputs);
