// The operations of a description, for the scripts here. `operations.js DESCRIPTION` prints one line
// for each: operationId, method, path, tag and scopes, with tabs between.

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
      // Whatever a request has in the place of its parameters.
      pathPattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`),
      scopes: (item[method].security ?? []).flatMap(Object.values).flat(),
      ...item[method],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
    })),
  );

// The example of a media type: the only one, or the first of those that have names.
export const example = ({ example, examples }) => example ?? Object.values(examples ?? {})[0]?.value;

// The example of what an operation answers when it succeeds.
export const answer = ({ responses }) => example(responses["200"].content["application/json"]);

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const { operationId, method, path, scopes, tags } of operations(read(process.argv[2]))) {
    console.log([operationId, method, path, tags[0], scopes.join(" ")].join("\t"));
  }
}
