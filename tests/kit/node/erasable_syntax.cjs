// Reads a JSON list of files from stdin, and writes what TypeScript refuses in each under `erasableSyntaxOnly`, as a JSON
// map from the file to the refused texts. The first argument is the folder of the package `typescript`.
"use strict";
const fs = require("node:fs");
const ts = require(process.argv[2]);

const NOT_ERASABLE = 1294;
const files = JSON.parse(fs.readFileSync(0, "utf8"));
const options = {
  erasableSyntaxOnly: true,
  noEmit: true,
  noLib: true,
  noResolve: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  types: [],
};
const refused = {};
for (const file of files) {
  const program = ts.createProgram([file], options);
  const source = program.getSourceFile(file);
  const found = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source).filter((one) => one.code === NOT_ERASABLE),
  ];
  refused[file] = found.map((one) => {
    const { line } = source.getLineAndCharacterOfPosition(one.start);
    const text = source.text.slice(one.start, one.start + one.length).split("\n")[0];
    return `${line + 1}: TS${one.code} ${text.slice(0, 80)}`;
  });
}
process.stdout.write(JSON.stringify(refused));
