// Writes the copy of a description that Prism's mock is given, as JSON: without error responses, so
// that it answers an invalid request with its own 422 and not with a made-up 500, and without next
// cursors in the examples, so that every listing ends.

import { readFileSync } from "node:fs";

import { parse } from "yaml";

const description = parse(readFileSync(process.argv[2], "utf8"));

for (const item of Object.values(description.paths)) {
  for (const operation of Object.values(item)) {
    operation.responses = { 200: operation.responses["200"] };
    delete operation.responses["200"].content["application/json"].example.next_page_cursor;
  }
}
console.log(JSON.stringify(description, null, 2));
