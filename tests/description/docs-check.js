// `docs-check.js DESCRIPTION` prints, as JSON, the texts that must be on the HTML page of an OpenAPI description, the
// lines of its programs, and the fields and schemas of each operation.
// `docs-check.js DESCRIPTION FILE` fails if FILE, the page's text, lacks one of these texts.

import { readFileSync } from "node:fs";

import { operations, read } from "./operations.js";

const [file, page] = process.argv.slice(2);
const TEXTS = ["name", "description", "summary", "format", "default", "maximum", "maxItems", "minItems", "operationId", "url", "tokenUrl"];

// Yields names, texts, enum values, defaults, bounds, and the scalars in examples. References aren't followed,
// because their targets are visited anyway.
function* texts(node, key) {
  if (["example", "enum", "value", "x-enum-varnames"].includes(key)) yield* scalars(node);
  else if (["properties", "paths", "responses", "scopes", "schemas"].includes(key)) {
    for (const [name, child] of Object.entries(node)) {
      if (key !== "responses" || /^\d/.test(name)) yield name;
      if (key === "scopes") yield child;
      else yield* texts(child);
    }
  } else if (node && typeof node === "object") {
    for (const [name, child] of Object.entries(node)) yield* texts(child, name);
  } else if (key === "source") yield* node.split("\n").map((code) => ({ code }));
  else if (TEXTS.includes(key)) yield node;
}

function* scalars(node) {
  if (node && typeof node === "object") for (const child of Object.values(node)) yield* scalars(child);
  else yield node;
}

// Returns the lines of a Markdown text as they appear on the page, without markup.
const markdown = (text) =>
  String(text)
    .split("\n")
    .filter((line) => !/^\s*(```|\|[-|]+\|$)/.test(line))
    .flatMap((line) => (line.startsWith("|") ? line.slice(1, -1).split(" | ") : [line]))
    .map((line) => line.replace(/^\s*(- |#+ )/, "").replace(/`|\*\*/g, ""));
const description = read(file);
const all = [...texts(description)];
const unique = (lines) => [...new Set(lines.map((line) => line.trim()))].filter(Boolean);
// Only code keeps its spaces as they are.
const programs = unique(all.flatMap((text) => text?.code ?? []));
const wanted = unique(all.filter((text) => text?.code === undefined).flatMap(markdown).map((line) => line.replace(/\s+/g, " ")));

// Adds the names of the schemas that a part of the description uses to `found`, and returns it.
const schemas = (node, found = new Set()) => {
  if (node && typeof node === "object") {
    const { $ref } = node;
    const target = $ref?.split("/").slice(1).reduce((at, key) => at[key], description);
    if (!found.has($ref)) schemas(target, found.add($ref));
    Object.values(node).forEach((child) => schemas(child, found));
  }
  return found;
};
const used = operations(description).map((operation) => {
  const names = [...schemas(operation)].filter((at) => at?.includes("/schemas/")).map((at) => at.split("/").pop());
  const fields = names.flatMap((name) => {
    const { properties = {}, required = [] } = description.components.schemas[name];
    return Object.keys(properties).map((field) => [name, field, required.includes(field) ? "required" : "optional"]);
  });
  return { operation: operation.operationId, fields, schemas: names };
});

if (page) {
  // Ignores spaces and hyphens, because printing breaks lines and words.
  const plain = (text) => text.replace(/[\s\f-]+/g, "");
  const seen = plain(readFileSync(page, "utf8"));
  const missing = [...wanted, ...programs].filter((text) => !seen.includes(plain(text)));
  console.log(`missing: ${missing.length} of ${wanted.length + programs.length} texts`);
  for (const text of missing) console.log(text);
  process.exitCode = missing.length === 0 && wanted.length > 100 ? 0 : 1;
} else {
  console.log(JSON.stringify({ wanted, programs, used }));
}
