// `arazzo.js REDOCLY FILE` runs the workflows of an Arazzo file against the sandbox. Workflows that need a cursor
// aren't started, because other workflows call them. TOKEN is an access token with every scope.

import { execFileSync } from "node:child_process";

import { read } from "./operations.js";

const [redocly, file] = process.argv.slice(2);
const { workflows } = read(file);
let walked = 0;
for (const { workflowId, inputs } of workflows) {
  if ("page_cursor" in inputs.properties) continue;
  // A value that the sandbox printed, or else the example.
  const value = (name) => process.env[`DIGITAL_ASSETS_${name.toUpperCase()}`] ?? inputs.properties[name].examples?.[0];
  const input = Object.fromEntries(inputs.required.map((name) => [name, name === "token" ? process.env.TOKEN : value(name)]));
  const options = ["--workflow", workflowId, "--server", `service=${process.env.DIGITAL_ASSETS_BASE_URL}`];
  const printed = execFileSync(redocly, ["respect", file, ...options, "--input", JSON.stringify(input)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [, steps] = printed.match(/Steps: (\d+) passed, \d+ total/) ?? [];
  console.log(`${workflowId}: ${steps} steps passed`);
  // A listing with a single page wouldn't test the next pages.
  if (!steps || (workflowId.startsWith("list") && Number(steps) < 3)) process.exitCode = 1;
  walked += 1;
}
if (walked < 2) process.exitCode = 1;
