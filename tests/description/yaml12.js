// `yaml12.js TOOLS` checks that TOOLS/yaml12.py reads YAML like the npm package `yaml`, which supports YAML 1.2.

import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";

const scalars = [
  "ON", "on", "off", "yes", "No", "y", "true", "True", "FALSE", "tRUE", "null", "Null", "~", "", "nULL",
  "2025-01-01", "2025-01-01T00:00:00Z", "12:30:45", "1_000", "012", "0o17", "0x1F", "-7", "+7", "1e3", ".5", "-1.50",
  "1.", "1.0.0", "0b101", "=", "4XX", "404", "'404'", '"ON"', "USD", "1,000",
];
const text = scalars.map((scalar, at) => `k${at}: ${scalar}\nON${at}: x\n`).join("") + "ON: enum\n404: status\n";
const program = "import json, sys, yaml12; print(json.dumps({str(k): v for k, v in yaml12.load(sys.stdin.read()).items()}))";
const read = JSON.parse(execFileSync("python", ["-c", program], { input: text, env: { ...process.env, PYTHONPATH: process.argv[2] } }));
const expected = parse(text);
for (const [at, scalar] of scalars.entries()) {
  const found = read[`k${at}`];
  const wanted = expected[`k${at}`];
  if (!isDeepStrictEqual(found, wanted)) {
    console.log(`${scalar}: read as ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
    process.exitCode = 1;
  }
}
if (!isDeepStrictEqual(read, expected)) process.exitCode = 1;
