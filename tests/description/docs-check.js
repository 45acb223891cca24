// `docs-check.js DESCRIPTION` prints each operation with its anchor on a page of Redoc's;
// `docs-check.js DESCRIPTION OPERATION DOM` fails for each text that the page lacks.

import { readFileSync } from "node:fs";

import { parse } from "yaml";

const [file, operationId, dom] = process.argv.slice(2);
const description = parse(readFileSync(file, "utf8"));
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.values(item).map((operation) => ({ path, ...operation })),
);
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
  } else if (key === "example" || key === "enum") {
    yield* scalars(node);
  } else if (node && typeof node === "object") {
    for (const [name, value] of Object.entries(node)) yield* texts(value, name);
  } else if (["name", "description", "summary", "format", "default", "maximum", "maxItems", "minItems"].includes(key)) {
    yield node;
  }
}

function* scalars(node) {
  if (node && typeof node === "object") for (const value of Object.values(node)) yield* scalars(value);
  else yield node;
}

if (!operationId) {
  for (const { operationId, tags } of operations) {
    console.log(`${operationId} tag/${tags[0]}/operation/${operationId}`);
  }
} else {
  const { path, security, summary, description, parameters, requestBody, responses } = operations.find(
    (it) => it.operationId === operationId,
  );
  const success = { 200: responses["200"] };
  const wanted = new Set([
    path,
    security[0].oauth2[0],
    ...Object.keys(responses),
    ...texts({ summary, description, parameters, requestBody, responses: success }),
  ]);
  const plain = (text) => String(text).replace(/[\s`]+/g, "");
  const page = plain(
    readFileSync(dom, "utf8")
      .replace(/<(script|style)\b.*?<\/\1>/gs, "")
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );
  const missing = [...wanted].filter((text) => !page.includes(plain(text)));
  console.log(`${operationId}: ${wanted.size - missing.length} of ${wanted.size} texts`);
  for (const text of missing) console.log(`missing: ${text}`);
  if (missing.length > 0) process.exitCode = 1;
}
