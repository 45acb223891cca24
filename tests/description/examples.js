// `examples.js DESCRIPTION` sends each operation with all of its examples at once, as Swagger UI and
// Bruno do when nothing is changed, and fails unless the status is 200. TOKEN is the access token.

import { operations, read } from "./operations.js";

const description = read(process.argv[2]);
const resolve = (node) => {
  while (node.$ref) node = node.$ref.slice(2).split("/").reduce((at, key) => at[key], description);
  return node;
};

for (const operation of operations(description)) {
  const query = new URLSearchParams();
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  let { path } = operation;
  for (const { name, in: location, example } of operation.parameters.map(resolve)) {
    if (example === undefined) continue;
    if (location === "path") path = path.replace(`{${name}}`, encodeURIComponent(example));
    if (location === "query") for (const value of [example].flat()) query.append(name, value);
    if (location === "header") headers[name] = String(example);
  }
  const body = operation.requestBody && resolve(operation.requestBody).content["application/json"].example;
  if (body) headers["Content-Type"] = "application/json";
  const url = `${process.env.DIGITAL_ASSETS_BASE_URL}${path}${query.size ? "?" : ""}${query}`;
  const response = await fetch(url, {
    method: operation.method,
    headers,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  console.log(`${operation.operationId}: ${response.status}${response.ok ? "" : ` ${await response.text()}`}`);
  if (!response.ok) process.exitCode = 1;
}
