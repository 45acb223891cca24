// Writes the copy of a description that Prism's mock is given, as JSON: without error responses, so
// that it answers an invalid request with its own 422 and not with a made-up 500, and without next
// cursors in the examples, so that every listing ends.

import { answer, operations, read } from "./operations.js";

const description = read(process.argv[2]);

for (const operation of operations(description)) {
  for (const status of Object.keys(operation.responses)) {
    if (status !== "200") delete operation.responses[status];
  }
  delete answer(operation).next_page_cursor;
}
console.log(JSON.stringify(description, null, 2));
