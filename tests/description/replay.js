// Sends what the tests recorded (tests/it/recording.rs) once more, through Prism, and fails when
// Prism finds a request, or the sandbox's answer to it, that breaks the description.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

import { operations, read } from "./operations.js";

const [description, recorded] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

// The sandbox knows neither the profiles nor the cursors of the tests, and no limit below 1.
const isExpected = (status, body) =>
  status === 200 || status === 404 || (status === 400 && /"parameter":"(page_cursor|limit)"/.test(body));
const answers = {};
const known = operations(read(description)).map((operation) => ({ ...operation, count: 0 }));

const lines = readFileSync(recorded, "utf8").split("\n").filter(Boolean);
const requests = [...new Set(lines)]
  .map((line) => JSON.parse(line))
  // Where tests lead an HTTP client that follows redirects.
  .filter(([, target]) => !/^\/(x|elsewhere)\b/.test(target))
  // Base URLs of some tests have a path.
  .map(([method, target, ...rest]) => [method, target.replace(/^.*?(?=\/v2\/)/, ""), ...rest]);

function send(recorded) {
  const [method, path, contentType, body] = recorded;
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  if (contentType !== null) headers["Content-Type"] = contentType;
  const signal = AbortSignal.timeout(300_000);
  const call = request(process.env.DIGITAL_ASSETS_BASE_URL, { agent, method, path, headers, signal });
  return new Promise((resolve, reject) => {
    call.on("error", (error) => {
      // Prism closes a connection that was idle, perhaps just when it is used again.
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
    console.log(`REFUSED  ${JSON.stringify(recorded)}\n  ${status} ${body.slice(0, 1_000)}`);
  }
}

const queue = requests.values();
const worker = async () => {
  for (const recorded of queue) await replay(recorded);
};
await Promise.all(Array.from({ length: 8 }, worker));

console.log(`${lines.length} requests recorded, ${requests.length} different ones sent, ${refused} refused`);
console.log("answers by status:", answers);
for (const { operationId, count } of known) console.log(`${operationId}: ${count}`);
process.exitCode = refused > 0 || known.some(({ count }) => count === 0) ? 1 : 0;
