// `mock-description.js DESCRIPTION` prints a copy of an OpenAPI description for Prism's mock server, as JSON. The
// copy has no error responses, so that Prism responds to an invalid request with its own 422 instead of an example
// 500. Its examples have no next cursors, so that every listing ends.

import { answer, operations, read } from "./operations.js";

const description = read(process.argv[2]);

for (const operation of operations(description)) {
  for (const status of Object.keys(operation.responses)) {
    if (status !== "200") delete operation.responses[status];
  }
  delete answer(operation).next_page_cursor;
}
console.log(JSON.stringify(description, null, 2));
