// Tests that a listing survives two 503s and a revoked token, and that reading the same time range again finds a
// record that arrived late. A client for the sandbox's control routes triggers these events.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import createClient from "openapi-fetch";

import type { paths as ControlPaths } from "./control.js";
import { type QuoteExecution, client, env } from "./service.js";

const control = createClient<ControlPaths>({ baseUrl: env("SANDBOX_URL") });
const profile_id = env("DIGITAL_ASSETS_PROFILE_ID");
const SCOPE = "exchange:read_quote_execution";
const LONG_AGO = "2000-01-01T00:00:00Z";

type Happening = () => Promise<{ response: Response }>;

/** Lists all executions since a time, oldest first. Triggers the next event after each page. */
async function walk(begin: string, happenings: Happening[] = []): Promise<QuoteExecution[]> {
  let api = await client(SCOPE);
  const seen: QuoteExecution[] = [];
  let page_cursor: string | undefined;
  do {
    const { data, response } = await api.GET("/v2/profiles/{profile_id}/quote-executions", {
      params: {
        path: { profile_id },
        query: { "created_at.begin": begin, order: "ASC", ...(page_cursor ? { page_cursor } : { limit: 1000 }) },
      },
    });
    if (response.status === 503) continue;
    if (response.status === 401) {
      api = await client(SCOPE);
      continue;
    }
    assert(data, `status ${response.status}`);
    seen.push(...data.items);
    page_cursor = data.next_page_cursor;
    const happened = page_cursor ? await happenings.shift()?.() : undefined;
    assert.equal(happened?.response.status ?? 204, 204, "the sandbox rejected a control request");
  } while (page_cursor);
  assert.equal(happenings.length, 0, "not all events were triggered");
  return seen;
}

async function received() {
  const { data } = await control.GET("/sandbox");
  assert(data);
  return { lists: data.request_counts["listQuoteExecutions"] ?? 0, tokens: data.token_requests };
}

const ids = (records: QuoteExecution[]) => records.map((it) => it.id);

const expected = await walk(LONG_AGO);
const model = expected[Math.floor(expected.length / 2)];
assert(model && expected.length > 4000, "there are too few records for several pages");
const late = { ...model, id: randomUUID() };

const before = await received();
const walked = await walk(LONG_AGO, [
  () => control.POST("/sandbox/faults", {
    body: { operation: "listQuoteExecutions", fault: { kind: "status", status: 503 }, times: 2 },
  }),
  () => control.DELETE("/sandbox/tokens"),
  () => Promise.resolve({ response: new Response(null, { status: 204 }) }),
  () => control.POST("/sandbox/quote-executions", { body: late }),
]);
const after = await received();

assert.deepEqual(ids(walked), ids(expected), "the records aren't each returned once, in order");
assert.equal(after.tokens - before.tokens, 2, "expected two token requests");
const pages = Math.ceil(expected.length / 1000);
assert.equal(after.lists - before.lists, pages + 3, "expected 3 failed requests");

const known = new Set(ids(walked));
const found = (await walk(late.created_at)).filter((it) => !known.has(it.id));
assert.deepEqual(ids(found), [late.id], "reading the same time range again must find only the late record");
const everything = ids(await walk(LONG_AGO));
assert.deepEqual(everything.toSorted(), [...ids(walked), ...ids(found)].toSorted());
console.log(`a 503, a revoked token and a late record: ${everything.length} records, each once`);
