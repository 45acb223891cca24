// Read by openapi-ts.
export default {
  input: "../../openapi.yaml",
  // Node wants the extensions in imports that a bundler does without.
  output: { path: "client", module: { extension: ".js" } },
};
