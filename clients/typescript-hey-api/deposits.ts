// Prints all deposit addresses on two networks, page by page.

import { createClient } from "./client/client/index.js";
import { listDepositAddresses } from "./client/index.js";

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

const client = createClient({
  baseUrl: env("BASE_URL"),
  auth: await token("transfer:read_deposit_address"),
});

let page_cursor: string | undefined;
do {
  const { data, response } = await listDepositAddresses({
    client,
    query: { networks: ["SOLANA", "BASE"], limit: 1000, page_cursor },
  });
  if (!data) throw new Error(`status ${response?.status}`);
  for (const it of data.items) console.log(it.id, it.crypto_network, it.address);
  page_cursor = data.next_page_cursor;
} while (page_cursor);
