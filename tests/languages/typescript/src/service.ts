// Fetches a token, and creates a client that sends it.

import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type QuoteExecution = components["schemas"]["QuoteExecution"];

export const env = (name: string): string => {
  const value = process.env[name];
  assert(value, `${name} isn't set`);
  return value;
};

async function token(scope: string): Promise<string> {
  const response = await fetch(env("DIGITAL_ASSETS_AUTH_URL"), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: env("DIGITAL_ASSETS_CLIENT_ID"),
      client_secret: env("DIGITAL_ASSETS_CLIENT_SECRET"),
      scope,
    }),
  });
  assert.equal(response.status, 200, "the token request failed");
  const body = (await response.json()) as { access_token: string };
  return body.access_token;
}

export async function client(scope: string) {
  const headers = { Authorization: `Bearer ${await token(scope)}` };
  return createClient<paths>({ baseUrl: env("DIGITAL_ASSETS_BASE_URL"), headers });
}
