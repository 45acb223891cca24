// `docs-check.js DESCRIPTION` prints what a page of Redoc's is read for, operations and texts, each
// with its anchor; `docs-check.js DESCRIPTION NAME DOM` fails for each line that the page lacks.

import { readFileSync } from "node:fs";

import { operations, read } from "./operations.js";

const [file, name, dom] = process.argv.slice(2);
const description = read(file);
const resolve = ($ref) => $ref.slice(2).split("/").reduce((node, key) => node[key], description);

// Whatever a reader needs: names, texts, enum values, defaults, bounds, and the scalars of examples.
// Redoc leaves out what an object is as a whole, and a parameter's schema beside its own text.
function* texts(node, key) {
  if (node?.$ref) {
    yield* texts(resolve(node.$ref), key);
  } else if (node?.description && (node.properties || key === "schema")) {
    const { description, ...rest } = node;
    yield* texts(rest, key);
  } else if (key === "properties") {
    for (const [name, schema] of Object.entries(node)) {
      yield name;
      yield* texts(schema);
    }
  } else if (["example", "enum", "value"].includes(key)) {
    yield* scalars(node);
  } else if (key === "examples") {
    // Of several, the page shows the first, and the others on request.
    yield* texts(Object.values(node)[0]);
  } else if (node && typeof node === "object") {
    for (const [name, value] of Object.entries(node)) yield* texts(value, name);
  } else if (["name", "description", "summary", "format", "default", "maximum", "maxItems", "minItems"].includes(key)) {
    yield node;
  }
}

// A page has no lines that open and close a block of code.
function lines({ description }) {
  return description.split("\n").filter((line) => !line.trim().startsWith("```"));
}

function* scalars(node) {
  if (node && typeof node === "object") for (const value of Object.values(node)) yield* scalars(value);
  else yield node;
}

function* wantedOf({ path, scopes, responses, summary, description, parameters, requestBody }) {
  yield* [path, ...scopes, ...Object.keys(responses)];
  yield* texts({ summary, description, parameters, requestBody, responses: { 200: responses["200"] } });
}

const pages = new Map([
  ...description.tags
    .filter((tag) => tag["x-traitTag"])
    .map((tag) => [tag.name, { anchor: `tag/${tag.name}`, wanted: [...lines(description.info), ...lines(tag)] }]),
  ...operations(description).map((operation) => [
    operation.operationId,
    { anchor: `tag/${operation.tags[0]}/operation/${operation.operationId}`, wanted: [...wantedOf(operation)] },
  ]),
]);

if (name) check(pages.get(name));
else for (const [name, { anchor }] of pages) console.log(`${name} ${anchor}`);

function check({ wanted }) {
  const page = plain(
    readFileSync(dom, "utf8")
      .replace(/<(script|style)\b.*?<\/\1>/gs, "")
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );
  const all = [...new Set(wanted)];
  const missing = all.filter((text) => !page.includes(plain(text)));
  console.log(`${name}: ${all.length - missing.length} of ${all.length} texts`);
  for (const text of missing) console.log(`missing: ${text}`);
  if (missing.length > 0) process.exitCode = 1;
}

// Without what Markdown and HTML say in different ways.
function plain(text) {
  return String(text).replace(/[\s`*#|-]+/g, "");
}
