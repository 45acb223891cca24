// Calls every operation with openapi-fetch, and with the types from openapi-typescript.

import assert from "node:assert/strict";

import { calls } from "./calls.js";
import { type QuoteExecution, client, env } from "./service.js";

const profile_id = env("DIGITAL_ASSETS_PROFILE_ID");
const institution_id = env("DIGITAL_ASSETS_INSTITUTION_ID");

const scenes: Record<string, () => Promise<string>> = {
  async "every operation with the examples of the description"() {
    for (const [operation, call] of Object.entries(calls)) assert.equal(await call(), 200, operation);
    return Object.keys(calls).join(", ");
  },

  async "three pages of quote executions by cursor"() {
    const api = await client("exchange:read_quote_execution");
    const seen: QuoteExecution[] = [];
    let page_cursor: string | undefined;
    for (let page = 1; page <= 3; page++) {
      const { data, error } = await api.GET("/v2/profiles/{profile_id}/quote-executions", {
        params: {
          path: { profile_id },
          query: {
            side: "BUY",
            "created_at.begin": "2000-01-01T00:00:00Z",
            order: "ASC",
            // `limit` must not be sent together with a cursor.
            ...(page_cursor ? { page_cursor } : { limit: 5 }),
          },
        },
      });
      assert(data, `page ${page}: ${JSON.stringify(error)}`);
      assert(data.items.length > 0 && data.next_page_cursor, `page ${page} has no records or no next cursor`);
      seen.push(...data.items);
      page_cursor = data.next_page_cursor;
    }
    assert.equal(new Set(seen.map((it) => it.id)).size, seen.length, "a record was returned twice");
    assert(seen.every((it) => it.side === "BUY" && it.profile_id === profile_id), "a record doesn't match the filter");
    const times = seen.map((it) => Date.parse(it.created_at));
    assert.deepEqual(times, times.toSorted((a, b) => a - b), "the records aren't in ascending order");
    assert.equal(typeof seen[0]?.price, "string", "a decimal isn't a string");
    return `${seen.length} records`;
  },

  async "dotted names keep their dots"() {
    const api = await client("exchange:read_quote_execution");
    const first = await api.GET("/v2/profiles/{profile_id}/quote-executions", {
      params: { path: { profile_id }, query: { limit: 1 } },
    });
    const newest = first.data?.items[0];
    assert(newest);
    const { data, response } = await api.GET("/v2/profiles/{profile_id}/quote-executions", {
      params: {
        path: { profile_id },
        query: { "created_at.begin": newest.created_at, "created_at.end": newest.created_at },
      },
    });
    assert(data);
    assert(data.items.some((it) => it.id === newest.id), "a record at one of the bounds is missing");
    assert(data.items.every((it) => it.created_at === newest.created_at));
    return new URL(response.url).search.slice(0, 40);
  },

  async "monitoring addresses of one network"() {
    const api = await client("rewards:read_monitoring_address");
    const { data } = await api.GET("/v2/rewards/monitor/address", {
      params: { query: { crypto_network: "SOLANA", limit: 10 } },
    });
    assert(data && data.addresses.length > 0);
    assert(data.addresses.every((it) => it.crypto_network === "SOLANA"));
    return `${data.addresses.length} records`;
  },

  async "deposit addresses by arrays of networks and ids"() {
    const api = await client("transfer:read_deposit_address");
    const { data } = await api.GET("/v2/transfer/deposit-addresses", {
      params: { query: { networks: ["SOLANA", "ETHEREUM"], "created_at.gte": "2000-01-01T00:00:00Z" } },
    });
    assert(data && data.items.length > 1);
    assert.deepEqual(new Set(data.items.map((it) => it.crypto_network)), new Set(["SOLANA", "ETHEREUM"]));
    const ids = data.items.slice(0, 2).map((it) => it.id);
    const some = await api.GET("/v2/transfer/deposit-addresses", { params: { query: { ids } } });
    assert.deepEqual(some.data?.items.map((it) => it.id).toSorted(), ids.toSorted());
    return new URL(some.response.url).search;
  },

  async "members are added"() {
    const api = await client("identity:write_identity");
    const members = [
      { identity_id: "4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06", roles: ["TRUSTEE"] },
      { identity_id: "8e1f3a5c-7b9d-4e2f-a4c6-d8e0f2a4b607", roles: ["GRANTOR", "TRUSTEE"] },
    ];
    const { data } = await api.POST("/v2/identity/institution-members", {
      body: { institution_id, members },
    });
    assert.equal(data?.institution_id, institution_id);
    assert.deepEqual(data.members.map(({ id, ...member }) => member), members);
    return data.members.map((it) => it.id).join(", ");
  },

  async "an error keeps its status and its body, of a type that must be looked at"() {
    const api = await client("rewards:read_monitoring_address");
    const { data, error, response } = await api.POST("/v2/identity/institution-members", {
      body: { institution_id, members: [{ identity_id: institution_id }] },
    });
    const unknown: unknown = error;
    assert.equal(data, undefined);
    assert.equal(response.status, 403, "a token without the scope was accepted");
    assert(unknown, "the response's body is missing");
    return `status ${response.status}`;
  },
};

// Calls that must not compile, because they violate the generated types.
export const refused = async (api: Awaited<ReturnType<typeof client>>) => {
  // @ts-expect-error: this market isn't in the description
  await api.GET("/v2/profiles/{profile_id}/quote-executions", { params: { path: { profile_id }, query: { market: "NEWUSD" } } });
  // @ts-expect-error: the path needs its profile
  await api.GET("/v2/profiles/{profile_id}/quote-executions", { params: { query: {} } });
  // @ts-expect-error: a body needs its members
  await api.POST("/v2/identity/institution-members", { body: { institution_id } });
};

for (const [name, scene] of Object.entries(scenes)) {
  console.log(`${name}: ${await scene()}`);
}
