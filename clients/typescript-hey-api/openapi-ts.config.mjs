// Configuration for openapi-ts.
export default {
  input: "../../openapi.yaml",
  // Node requires file extensions in imports.
  output: { path: "client", module: { extension: ".js" } },
};
