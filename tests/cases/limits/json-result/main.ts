// With `--json` stdout is one line of JSON, and the console goes to stderr.
console.log("log");
console.error("error");
return { text: "é", list: [1, null] };
