// Prints all deposit addresses on two networks, page by page.

import createClient from "openapi-fetch";

import type { paths } from "./schema.js";

const env = (name: string): string => {
  const value = process.env[`DIGITAL_ASSETS_${name}`];
  if (!value) throw new Error(`DIGITAL_ASSETS_${name} isn't set`);
  return value;
};

async function token(scope: string): Promise<string> {
  const response = await fetch(env("AUTH_URL"), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: env("CLIENT_ID"),
      client_secret: env("CLIENT_SECRET"),
      scope,
    }),
  });
  if (!response.ok) throw new Error(`token endpoint: status ${response.status}`);
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

const api = createClient<paths>({
  baseUrl: env("BASE_URL"),
  headers: { Authorization: `Bearer ${await token("transfer:read_deposit_address")}` },
});

let page_cursor: string | undefined;
do {
  const { data, response } = await api.GET("/v2/transfer/deposit-addresses", {
    params: { query: { networks: ["SOLANA", "BASE"], limit: 1000, ...(page_cursor ? { page_cursor } : {}) } },
  });
  if (!data) throw new Error(`status ${response.status}`);
  for (const it of data.items) console.log(it.id, it.crypto_network, it.address);
  page_cursor = data.next_page_cursor;
} while (page_cursor);
