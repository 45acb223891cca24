// The operations of an OpenAPI description, for the scripts in this folder. `operations.js DESCRIPTION` prints a
// line for each operation: operationId, method, path, tag and scopes, separated by tabs.

import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export const read = (file) => parse(readFileSync(file, "utf8"));

export const operations = (description) =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      method: method.toUpperCase(),
      path,
      // Matches the path with any values of its parameters.
      pathPattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`),
      scopes: (item[method].security ?? []).flatMap(Object.values).flat(),
      ...item[method],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
    })),
  );

// Returns the example of a media type: `example`, or the first of `examples`.
export const example = ({ example, examples }) => example ?? Object.values(examples ?? {})[0]?.value;

// Returns the example of an operation's 200 response.
export const answer = ({ responses }) => example(responses["200"].content["application/json"]);

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const { operationId, method, path, scopes, tags } of operations(read(process.argv[2]))) {
    console.log([operationId, method, path, tags[0], scopes.join(" ")].join("\t"));
  }
}
