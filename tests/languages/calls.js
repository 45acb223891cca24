// `calls.js DESCRIPTION FOLDER` writes a call of each operation, with the examples of its parameters and body:
// calls.ts for openapi-fetch, and calls.json for programs that look up an operation by its name. In calls.json, the
// arguments are in the order that openapi-generator uses: first the required ones, then the optional ones.

import { writeFileSync } from "node:fs";

import { example, operations, read } from "../description/operations.js";

const [file, folder] = process.argv.slice(2);
const description = read(file);
const resolve = (node) => (node.$ref ? node.$ref.split("/").slice(1).reduce((at, key) => at[key], description) : node);

const calls = operations(description).map(({ operationId, tags, scopes, method, path, parameters, requestBody }) => {
  const given = parameters.map(resolve).map(({ name, in: place, required = false, example }) => ({ name, place, required, example }));
  if (requestBody) {
    const { required = false, content } = resolve(requestBody);
    given.push({ name: "body", place: "body", required, example: example(content["application/json"]) });
  }
  const ordered = [...given.filter((it) => it.required), ...given.filter((it) => !it.required)];
  return { operation: operationId, tag: tags[0], scope: scopes.join(" "), method, path, arguments: ordered };
});

const typescript = calls.map(({ operation, scope, method, path, arguments: given }) => {
  const at = (place) => given.filter((it) => it.place === place && it.example !== undefined);
  const params = {};
  for (const place of ["path", "query", "header"]) {
    if (at(place).length) params[place] = Object.fromEntries(at(place).map((it) => [it.name, it.example]));
  }
  const body = at("body").map((it) => ({ body: it.example }))[0];
  const options = JSON.stringify({ ...(Object.keys(params).length ? { params } : {}), ...body });
  return `  async ${operation}() {
    const api = await client(${JSON.stringify(scope)});
    const { response } = await api.${method}(${JSON.stringify(path)}, ${options});
    return response.status;
  },
`;
});
writeFileSync(`${folder}/calls.json`, JSON.stringify(calls));
writeFileSync(
  `${folder}/calls.ts`,
  `import { client } from "./service.js";\n\nexport const calls: Record<string, () => Promise<number>> = {\n${typescript.join("")}};\n`,
);
