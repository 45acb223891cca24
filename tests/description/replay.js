// `replay.js DESCRIPTION FILE` sends the requests that the tests recorded (tests/it/recording.rs) through Prism to the
// sandbox. It fails if Prism finds a request or response that violates the OpenAPI description.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

import { operations, read } from "./operations.js";

const [description, recorded] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

// The sandbox doesn't know the tests' profiles and cursors, and rejects a limit below 1.
const isExpected = (status, body) =>
  status === 200 || status === 404 || (status === 400 && /"parameter":"(page_cursor|limit)"/.test(body));
const answers = {};
const known = operations(read(description)).map((operation) => ({ ...operation, count: 0 }));

const lines = readFileSync(recorded, "utf8").split("\n").filter(Boolean);
const requests = [...new Set(lines)]
  .map((line) => JSON.parse(line))
  // Leaves out the targets of redirects in tests.
  .filter(([, target]) => !/^\/(x|elsewhere)\b/.test(target))
  // Removes the path of the base URL, which some tests have.
  .map(([method, target, ...rest]) => [method, target.replace(/^.*?(?=\/v2\/)/, ""), ...rest]);

function send(recorded) {
  const [method, path, contentType, body] = recorded;
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  if (contentType !== null) headers["Content-Type"] = contentType;
  const signal = AbortSignal.timeout(300_000);
  const call = request(process.env.DIGITAL_ASSETS_BASE_URL, { agent, method, path, headers, signal });
  return new Promise((resolve, reject) => {
    call.on("error", (error) => {
      // Prism may close an idle connection just when it is reused, so the request is retried.
      const isClosed = call.reusedSocket && error.code === "ECONNRESET";
      isClosed ? send(recorded).then(resolve, reject) : reject(error);
    });
    call.on("response", async (answer) => {
      const body = Buffer.concat(await answer.toArray()).toString();
      resolve({ status: answer.statusCode, body });
    });
    call.end(body);
  });
}

let refused = 0;
async function replay(recorded) {
  const [method, target] = recorded;
  const path = target.split("?")[0];
  const operation = known.find((it) => it.method === method && it.pathPattern.test(path));
  if (operation) operation.count += 1;
  const { status, body } = await send(recorded);
  answers[status] = (answers[status] ?? 0) + 1;
  if (!isExpected(status, body) || body.includes("https://stoplight.io/prism/errors#")) {
    refused += 1;
    console.log(`REJECTED ${JSON.stringify(recorded)}\n  ${status} ${body.slice(0, 1_000)}`);
  }
}

const queue = requests.values();
const worker = async () => {
  for (const recorded of queue) await replay(recorded);
};
await Promise.all(Array.from({ length: 8 }, worker));

console.log(`${lines.length} requests recorded, ${requests.length} distinct requests sent, ${refused} rejected`);
console.log("responses by status:", answers);
for (const { operationId, count } of known) console.log(`${operationId}: ${count}`);
process.exitCode = refused > 0 || known.some(({ count }) => count === 0) ? 1 : 0;
