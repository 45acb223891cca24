// `compile.mjs FOLDER…` compiles the TypeScript program in each folder in strict mode, and prints the compiler's
// messages for each folder as a JSON object.

import { createRequire } from "node:module";
import { join } from "node:path";

const ts = createRequire(join(process.cwd(), "package.json"))("typescript");
const options = {
  strict: true, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, types: ["node"],
  moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true,
};
const host = ts.createCompilerHost(options);
const libraries = new Map();
const getSourceFile = host.getSourceFile;
// Parses each library only once for all programs.
host.getSourceFile = (name, ...rest) => {
  if (!name.includes("node_modules")) return getSourceFile(name, ...rest);
  if (!libraries.has(name)) libraries.set(name, getSourceFile(name, ...rest));
  return libraries.get(name);
};
const found = {};
for (const folder of process.argv.slice(2)) {
  const program = ts.createProgram([join(folder, "program.ts")], options, host);
  const messages = ts.getPreEmitDiagnostics(program).map((it) => ts.flattenDiagnosticMessageText(it.messageText, " "));
  program.emit();
  found[folder] = messages;
}
console.log(JSON.stringify(found));
